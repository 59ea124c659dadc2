import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { leftOut } from "../../harness/left-out.ts";
import type { SuiteResult, TestRecord } from "../results.ts";
import { namedSuites, oneRun } from "../suites.ts";
import { completeSuites, readRecord, recordsFolder, writeRecord } from "./records.ts";

const passed: TestRecord = { title: "a", state: "passed" };
const failed: TestRecord = { title: "b", state: "failed" };
const result = (suite: string, ...tests: readonly TestRecord[]): SuiteResult => ({ suite, seconds: 1.4, tests });
const skipped = (reason: string): TestRecord => ({ title: "c", state: "skipped", reason });
const complete = (names: readonly string[], ...results: readonly SuiteResult[]): string[] =>
  completeSuites(
    oneRun(namedSuites(names), () => true),
    results,
  ).map(({ suite }) => suite);

test.each([
  ["passed", true, [passed, passed]],
  ["passed but for a test that every run leaves out", true, [passed, skipped(leftOut("on request"))]],
  ["failed", false, [passed, failed]],
  ["skipped a test for want of data", false, [passed, skipped("../shared/data is absent")]],
  ["skipped all tests", false, [skipped(leftOut("on request"))]],
  ["ran no test", false, []],
])("a suite that %s gets a record: %s", (_, isRecorded, tests) => {
  expect(complete(["engine"], result("engine", ...tests))).toEqual(isRecorded ? ["engine"] : []);
});

test("suites of npm test and the search of the run have no record", () => {
  expect(
    complete(["unit", "secrets", "year"], ...["unit", "secrets", "year"].map((name) => result(name, passed))),
  ).toEqual(["year"]);
});

test("hostile and faults need the success of main-faults, which runs some of their files", () => {
  const names = ["main-faults", "faults", "hostile"];
  const both = [result("faults", passed), result("hostile", passed)];
  expect(complete(names, result("main-faults", passed), ...both)).toEqual(["faults", "hostile"]);
  expect(complete(names, result("main-faults", passed, failed), ...both)).toEqual([]);
  expect(complete(["faults"], result("faults", passed))).toEqual(["faults"]);
});

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "routeql-records-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

test("reads the record that it wrote", () => {
  const repository = folder();
  const path = writeRecord(repository, result("site", passed, skipped(leftOut("x"))), { docs: "1a" }, new Date(0));
  expect(path).toBe("tests/records/site.json");
  expect(readRecord(repository, "site")).toEqual({
    date: "1970-01-01T00:00:00.000Z",
    passed: 1,
    seconds: 1,
    inputs: { docs: "1a" },
  });
});

test.each([
  ["a merge conflict", "<<<<<<< HEAD\n"],
  ["another form", "{}"],
  ["no time", '{"date":"x","inputs":{}}'],
])("a file with %s is no record", (_, text) => {
  const repository = folder();
  mkdirSync(join(repository, recordsFolder), { recursive: true });
  writeFileSync(join(repository, recordsFolder, "site.json"), text);
  expect(readRecord(repository, "site")).toBeUndefined();
  expect(readRecord(repository, "absent")).toBeUndefined();
});
