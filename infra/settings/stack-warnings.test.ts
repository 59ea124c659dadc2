import { expect, test } from "vitest";
import { withDefaults } from "./complete.ts";
import { stackWarnings } from "./stack-warnings.ts";

test("warns of secrets in plain text without quoting them, and of nothing else in the file", () => {
  const [warning = "", ...others] = stackWarnings(withDefaults({ engineAccessKey: "k".repeat(40) }, "site"), "site", [
    "publicHost",
    "engineAccessKey",
    "environmentFile",
  ]);
  expect(others).toEqual([]);
  expect(warning).toMatch(/^Pulumi\.site\.yaml has secrets in plain text: engineAccessKey\. /);
  expect(warning).not.toContain("kkkk");
});

test("warns of a database on the official image, which has no archive", () => {
  const of = (stack: string, given = {}) => stackWarnings(withDefaults(given, stack), stack, []);
  expect(of("dev")).toEqual([expect.stringContaining("has no archive")]);
  expect(of("dev", { archive: false })).toEqual([]);
  expect(of("dev", { database: "external" })).toEqual([]);
  expect(of("site")).toEqual([]);
});
