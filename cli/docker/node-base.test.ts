import { expect, test } from "vitest";
import { imagePlatform } from "./node-base.ts";

test.each([
  ["x86_64", "x64"],
  ["aarch64", "arm64"],
])("images on an engine of %s get the Linux Node for %s, whatever this machine is", (architecture, cpu) => {
  expect(imagePlatform(architecture)).toEqual({ os: "linux", cpu });
});

test("an architecture without a ready Node is refused with the setting that helps", () => {
  expect(() => imagePlatform("riscv64")).toThrow("runs on riscv64");
});
