import { expect, test } from "vitest";
import { isInstalled } from "./dependencies.mjs";

const check = isInstalled as (lock: object, installed: object | undefined) => boolean;
const lock = {
  packages: {
    "": { name: "x" },
    engine: { version: "0.1.0" },
    "node_modules/a": { version: "1.0.0" },
    "node_modules/b": { version: "2.0.0", optional: true },
    "node_modules/@x/engine": { link: true, resolved: "engine" },
  },
};
const a = { version: "1.0.0" };
const link = { link: true, resolved: "engine" };

test.each([
  ["everything", { "node_modules/a": a, "node_modules/b": { version: "2.0.0" }, "node_modules/@x/engine": link }, true],
  ["no optional package of another platform", { "node_modules/a": a, "node_modules/@x/engine": link }, true],
  ["more than the lock file has", { "node_modules/a": a, "node_modules/@x/engine": link, "node_modules/z": a }, true],
  ["another version", { "node_modules/a": { version: "1.0.1" }, "node_modules/@x/engine": link }, false],
  ["a package missing", { "node_modules/@x/engine": link }, false],
  [
    "a copy in place of a workspace link",
    { "node_modules/a": a, "node_modules/@x/engine": { version: "0.1.0" } },
    false,
  ],
])("with %s installed, isInstalled(%j) is %s", (_title, packages, expected) =>
  expect(check(lock, { packages })).toBe(expected),
);

test("without npm's record, nothing counts as installed", () => expect(check(lock, undefined)).toBe(false));
