import { expect, test } from "vitest";
import { goPlatform, isUsable, parseVersion } from "./versions.ts";

test("versions are compared as numbers within one major version", () => {
  expect(parseVersion("v3.256.0-dev.1")).toEqual([3, 256, 0]);
  expect(parseVersion("devel")).toBeUndefined();
  expect(isUsable("3.1000.0", "3.256.0")).toBe(true);
  expect(isUsable("3.99.99", "3.256.0")).toBe(false);
});

test.each([
  ["linux", "x64", "linux-amd64"],
  ["linux", "arm64", "linux-arm64"],
  ["darwin", "arm64", "darwin-arm64"],
  ["darwin", "x64", "darwin-amd64"],
])("downloads of Pulumi and Go name %s on %s as %s", (platform, architecture, name) => {
  expect(goPlatform(platform, architecture)).toBe(name);
});
