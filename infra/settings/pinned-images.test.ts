import { expect, test } from "vitest";
import { settings } from "./list.ts";
import { ownEngineImage } from "./engine-settings.ts";

/** Every setting whose default is an image's reference. */
const references = Object.entries(settings).flatMap(([name, setting]): [string, string][] => {
  const byDefault: unknown = "default" in setting ? setting.default : undefined;
  return /(Image|Base)$/.test(name) && typeof byDefault === "string" && byDefault !== ownEngineImage ? [[name, byDefault]] : [];
});

test("there are images to look at", () => {
  expect(references.map(([name]) => name)).toEqual(expect.arrayContaining(["debianBase", "nodeBase"]));
});

test.each(references)("%s names a version, so that the same revision deploys the same", (_, reference) => {
  expect(reference).toMatch(/^[^:@\s]+(:[^:@\s]+|@sha256:[0-9a-f]{64})$/);
  expect(reference).not.toMatch(/:(latest|stable|lts|edge|main|master)$/);
});
