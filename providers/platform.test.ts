import { expect, test } from "vitest";
import { goPlatform } from "./platform.ts";

test.each([
  ["linux", "x64", "linux-amd64"],
  ["linux", "arm64", "linux-arm64"],
  ["darwin", "arm64", "darwin-arm64"],
  ["darwin", "x64", "darwin-amd64"],
])("downloads of Pulumi and Go name %s on %s as %s", (platform, architecture, name) => {
  expect(goPlatform(platform, architecture)).toBe(name);
});
