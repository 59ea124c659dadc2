import { expect, test } from "vitest";
import { settings } from "../list.ts";
import { ownEngineImage } from "./images.ts";

/** Every setting whose default is an image reference. */
const references = Object.entries(settings).flatMap(([name, setting]): [string, string][] => {
  const byDefault: unknown = "default" in setting ? setting.default : undefined;
  return /(Image|Base)$/.test(name) && typeof byDefault === "string" && byDefault !== ownEngineImage
    ? [[name, byDefault]]
    : [];
});

test("finds settings with an image", () => {
  expect(references.map(([name]) => name)).toEqual(expect.arrayContaining(["debianBase", "nodeBase"]));
});

test.each(references)("the default of %s names a version", (_, reference) => {
  expect(reference).toMatch(/^[^:@\s]+(:[^:@\s]+)?(@sha256:[0-9a-f]{64})?$/);
  expect(reference).toMatch(/[:@]/);
  expect(reference).not.toMatch(/:(latest|stable|lts|edge|main|master)$/);
});
