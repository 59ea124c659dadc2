import { expect, test } from "vitest";
import { goPlatform } from "./platform.ts";

test.each([
  ["linux", "x64", "linux-amd64"],
  ["linux", "arm64", "linux-arm64"],
  ["darwin", "arm64", "darwin-arm64"],
  ["darwin", "x64", "darwin-amd64"],
])("%s on %s is %s for downloads of Pulumi and Go", (platform, architecture, name) => {
  expect(goPlatform(platform, architecture)).toBe(name);
});
