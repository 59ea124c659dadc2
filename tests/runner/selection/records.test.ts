import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { leftOut } from "../../harness/run/left-out.ts";
import type { SuiteResult, TestRecord } from "../results.ts";
import { namedSuites, oneRun } from "../suites.ts";
import { readRecord, recordsFolder, verdicts, writeRecord } from "./records.ts";

const passed: TestRecord = { title: "a", state: "passed" };
const failed: TestRecord = { title: "b", state: "failed" };
const result = (suite: string, ...tests: readonly TestRecord[]): SuiteResult => ({ suite, seconds: 1.4, tests });
const skipped = (reason: string): TestRecord => ({ title: "c", state: "skipped", reason });
const reasons = (names: readonly string[], ...results: readonly SuiteResult[]): Record<string, string | undefined> =>
  Object.fromEntries(
    verdicts(
      oneRun(namedSuites(names), () => true),
      results,
    ).map(({ result, reason }) => [result.suite, reason]),
  );

test.each([
  ["passed", undefined, [passed, passed]],
  ["passed but for a test that every run leaves out", undefined, [passed, skipped(leftOut("on request"))]],
  ["failed", "it failed", [passed, failed]],
  ["skipped a test for want of data", "it skipped c: no data", [passed, skipped("no data")]],
  ["skipped all tests", "no test ran", [skipped(leftOut("on request"))]],
  ["ran no test", "no test ran", []],
])("a suite that %s: reason against a record: %s", (_, reason, tests) => {
  expect(reasons(["engine"], result("engine", ...tests))).toEqual({ engine: reason });
});

test("suites of npm test and the search of the run have no record", () => {
  const names = ["unit", "secrets", "year"];
  expect(reasons(names, ...names.map((name) => result(name, passed)))).toEqual({ year: undefined });
});

test("hostile and faults need the success of main-faults, which runs some of their files", () => {
  const names = ["main-faults", "faults", "hostile"];
  const both = [result("faults", passed), result("hostile", passed)];
  const half = "main-faults, which ran some of its files, did not pass completely";
  expect(reasons(names, result("main-faults", passed), ...both)).toEqual({ faults: undefined, hostile: undefined });
  expect(reasons(names, result("main-faults", passed, failed), ...both)).toEqual({ faults: half, hostile: half });
  expect(reasons(names, ...both)).toEqual({ faults: half, hostile: half });
  expect(reasons(["faults"], result("faults", passed))).toEqual({ faults: undefined });
});

test("a suite without a result, as after an interruption, has no verdict", () => {
  expect(reasons(["engine", "site"], result("engine", passed))).toEqual({ engine: undefined });
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
