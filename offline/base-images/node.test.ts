import { expect, test } from "vitest";
import { imagePlatform } from "./node.ts";

test.each([
  ["x86_64", "x64"],
  ["aarch64", "arm64"],
])("a daemon on %s gets the Linux Node for %s, independent of this machine", (architecture, cpu) => {
  expect(imagePlatform(architecture)).toEqual({ os: "linux", cpu });
});

test("rejects an architecture without a prebuilt Node, and names the setting that helps", () => {
  expect(() => imagePlatform("riscv64")).toThrow("runs on riscv64");
});
