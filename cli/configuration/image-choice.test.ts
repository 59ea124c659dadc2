import { expect, test } from "vitest";
import { pins } from "@routeql/pins/pins";
import { registryProblem, silentRegistry, type RegistryProblem } from "@routeql/host/docker/registry";
import { withDefaults } from "@routeql/infra/settings/reading/complete";
import type { GivenSettings } from "@routeql/infra/settings/list";
import { type StackConfiguration, withSettings } from "./configuration.ts";
import { chooseImages, describeChoice } from "./image-choice.ts";
import type { ImageChoice } from "./image-choice.ts";

const configure = (stack: string, given: GivenSettings = {}): StackConfiguration => ({
  stack,
  providers: {},
  inFile: [],
  given,
  plain: withDefaults(given, stack),
});
const unreachable = silentRegistry("hasura/graphql-engine:v2", 15);
const problem = (text: string): RegistryProblem => registryProblem(new Error(text), "hasura/graphql-engine:v2", false);
const nowhere = { problemOf: () => Promise.resolve(unreachable) };
const everywhere = { problemOf: () => Promise.resolve(undefined) };
const without = (part: string, found = unreachable) => ({
  problemOf: (name: string) => Promise.resolve(name.includes(part) ? found : undefined),
});

test("a stack that builds all images contacts no registry", async () => {
  const forbidden = { problemOf: () => Promise.reject(new Error("asked")) };
  const configuration = configure("local");
  const choice = await chooseImages(configuration, undefined, forbidden);
  expect(choice).toEqual({ instead: {}, missing: [] });
  expect(withSettings(configuration, choice.instead)).toEqual(configuration);
  expect(describeChoice(choice, configuration)).toBe("all built here");
});

test("with reachable registries, a stack uses the images of its settings", async () => {
  const configuration = configure("dev");
  const choice = await chooseImages(configuration, undefined, everywhere);
  expect(withSettings(configuration, choice.instead).plain).toMatchObject({ engine: "hasura", images: "official" });
  expect(describeChoice(choice, configuration)).toContain("hasura/graphql-engine:");
});

test("the embedded engine and local images replace those of an unreachable registry", async () => {
  const configuration = configure("dev");
  const choice = await chooseImages(configuration, undefined, nowhere);
  const chosen = withSettings(configuration, choice.instead);
  expect(chosen.plain).toMatchObject({ engine: "embedded", images: "built" });
  expect(chosen.given).toEqual({ engine: "embedded", images: "built" });
  expect(describeChoice(choice, chosen)).toMatch(
    /runs on the embedded engine and images built .* no registry could be reached for .*hasura\/graphql-engine:/,
  );
});

test("a chosen value that contradicts the others stops the run", () => {
  const given = { target: "kubernetes", publicHost: "routes.example.net", engineReplicasMost: 9 } as const;
  const configuration = { ...configure("dev", given), given };
  expect(() => withSettings(configuration, { engine: "embedded" })).toThrow(/engineReplicasMost makes \d+ connections/);
});

test.each([
  ["unauthorized: authentication required", /requires a login \(401\)/, /run docker login\./],
  [
    "denied: requested access to the resource is denied",
    /denies access \(403\)/,
    /if the repository is private, run docker login/,
  ],
  ["manifest unknown: manifest unknown", /no image of this name and tag \(404\)/, /check the image's name and tag/],
  ["toomanyrequests: You have reached your pull rate limit", /rate limit is reached \(429\)/, /imageMirror/],
])("a registry that answers %s stops the run", async (text, message, remedy) => {
  const failed = chooseImages(configure("dev"), undefined, without("hasura", problem(text)));
  await expect(failed).rejects.toMatchObject({
    message: expect.stringMatching(message),
    remedy: expect.stringMatching(remedy),
  });
  await expect(failed).rejects.toMatchObject({ remedy: expect.stringContaining("set ENGINE=embedded") });
});

test("a configured mirror has no replacement", async () => {
  const mirrored = configure("dev", { imageMirror: "registry.example.net/hub" });
  expect(mirrored.plain).toMatchObject({
    hasuraImage: `registry.example.net/hub/${pins.hasura.image}`,
    databaseImage: `registry.example.net/hub/library/${pins.postgres.image}`,
  });
  await expect(chooseImages(mirrored, undefined, nowhere)).rejects.toThrow(
    /registry\.example\.net\/hub.*cannot be pulled/,
  );
});

test("one missing official image causes a build of all three", async () => {
  const choice = await chooseImages(configure("dev"), undefined, without("nginx"));
  expect(choice.instead).toEqual({ images: "built" });
});

test("a choice stays, independent of later answers of the registries", async () => {
  const kept = await chooseImages(configure("dev"), undefined, nowhere);
  expect(await chooseImages(configure("dev"), kept, everywhere)).toEqual(kept);
});

test("a stack with official images keeps them when the registries become unreachable", async () => {
  const kept: ImageChoice = { instead: {}, missing: [] };
  await expect(chooseImages(configure("dev"), kept, nowhere)).rejects.toThrow(
    /is not on this machine and cannot be pulled: .* does not answer within 15 s/,
  );
});

test("an image that an operator named has no replacement", async () => {
  const configuration = configure("dev", { hasuraImage: "registry.example.net/hasura:1" });
  await expect(chooseImages(configuration, undefined, nowhere)).rejects.toMatchObject({
    message: expect.stringContaining("registry.example.net/hasura:1"),
    remedy: expect.stringContaining("hasuraImage"),
  });
});
