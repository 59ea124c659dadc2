import { expect, test } from "vitest";
import { settings } from "./list.ts";
import { ownEngineImage } from "./engine-settings.ts";

/** Every setting whose default is an image's reference. */
const references = Object.entries(settings).flatMap(([name, setting]): [string, string][] => {
  if (!/(Image|Base)$/.test(name) || !("default" in setting) || typeof setting.default !== "string") return [];
  return setting.default === "" || setting.default === ownEngineImage ? [] : [[name, setting.default]];
});

test("there are images to look at", () => {
  expect(references.map(([name]) => name)).toEqual(expect.arrayContaining(["debianBase", "nodeBase"]));
});

test.each(references)("%s names a version, so that the same revision deploys the same", (_, reference) => {
  expect(reference).toMatch(/^[^:@\s]+(:[^:@\s]+|@sha256:[0-9a-f]{64})$/);
  expect(reference).not.toMatch(/:(latest|stable|lts|edge|main|master)$/);
});
