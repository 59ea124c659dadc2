import { expect, test } from "vitest";
import { withDefaults } from "../../settings/complete.ts";
import type { GivenSettings } from "../../settings/list.ts";
import type { StackConfiguration } from "./configuration.ts";
import { chooseImages, describeChoice, withChoice } from "./image-choice.ts";
import type { ImageChoice } from "./image-choice.ts";

const configure = (stack: string, given: GivenSettings = {}): StackConfiguration => ({
  entries: {},
  given,
  plain: withDefaults(given, stack),
});
const nowhere = { canBeHad: () => Promise.resolve(false) };
const everywhere = { canBeHad: () => Promise.resolve(true) };
const without = (part: string) => ({ canBeHad: (name: string) => Promise.resolve(!name.includes(part)) });

test("a stack that builds everything asks no registry", async () => {
  const forbidden = { canBeHad: () => Promise.reject(new Error("asked")) };
  const configuration = configure("local");
  const choice = await chooseImages(configuration, undefined, forbidden);
  expect(choice).toEqual({ instead: {}, missing: [] });
  expect(withChoice(configuration, choice)).toEqual(configuration);
  expect(describeChoice(choice, configuration)).toBe("all built here");
});

test("where the registries answer, a stack has what its settings name", async () => {
  const configuration = configure("dev");
  const choice = await chooseImages(configuration, undefined, everywhere);
  expect(withChoice(configuration, choice).plain).toMatchObject({ engine: "hasura", images: "official" });
  expect(describeChoice(choice, configuration)).toContain("hasura/graphql-engine:");
});

test("where none answers, the embedded engine and images built here stand in, and that is said", async () => {
  const configuration = configure("dev");
  const choice = await chooseImages(configuration, undefined, nowhere);
  const chosen = withChoice(configuration, choice);
  expect(chosen.plain).toMatchObject({ engine: "embedded", images: "built" });
  expect(chosen.entries).toEqual({ "routeql:engine": "embedded", "routeql:images": "built" });
  expect(describeChoice(choice, chosen)).toMatch(/hasura\/graphql-engine:.* cannot be had here; instead the embedded engine and images built here/);
});

test("one official image that is missing is enough for all three to be built", async () => {
  const choice = await chooseImages(configure("dev"), undefined, without("nginx"));
  expect(choice.instead).toEqual({ images: "built" });
});

test("a choice is kept, whatever the registries say later", async () => {
  const kept = await chooseImages(configure("dev"), undefined, nowhere);
  expect(await chooseImages(configure("dev"), kept, everywhere)).toEqual(kept);
});

test("a stack that was made with official images is not given others when the registries fall silent", async () => {
  const kept: ImageChoice = { instead: {}, missing: [] };
  await expect(chooseImages(configure("dev"), kept, nowhere)).rejects.toThrow(/is not on this machine and its registry does not answer/);
});

test("an image that somebody named has no stand-in", async () => {
  const configuration = configure("dev", { hasuraImage: "registry.example.net/hasura:1" });
  await expect(chooseImages(configuration, undefined, nowhere)).rejects.toMatchObject({
    message: expect.stringContaining("registry.example.net/hasura:1"),
    remedy: expect.stringContaining("hasuraImage"),
  });
});
