import { expect, test } from "vitest";
import { type SuiteResult, withoutEmptiness } from "./results.ts";
import { closingLine, commandOf, summary } from "./summary.ts";

const unit: SuiteResult = {
  suite: "unit",
  seconds: 3.21,
  tests: [
    { title: "a.test.ts > adds", state: "passed" },
    { title: "a.test.ts > reads the files of 2016", state: "skipped", reason: "../shared/data is absent" },
  ],
};
const gateway: SuiteResult = {
  suite: "gateway",
  seconds: 12,
  logs: ".routeql/test-logs/1/gateway",
  tests: [{ title: "b.test.ts > refuses", state: "failed" }],
};

const facts = { seconds: 13, figures: [] };

test("the last line counts all suites and nothing follows it", () => {
  expect(summary([unit, gateway], facts).split("\n").at(-1)).toBe("1 passed, 1 failed, 1 skipped");
});

test("lists failed tests first, each with its cause, its place and the command to rerun it", () => {
  const failed = {
    title: "c.test.ts > lists > sorts o'clock",
    state: "failed" as const,
    reason: "expected 1\nto be 2",
    place: "c.test.ts:3:5",
  };
  const text = summary(
    [unit, { suite: "engine", seconds: 1, tests: [failed], output: ".routeql/test-logs/1/output/engine.txt" }],
    facts,
  );
  expect(text).toMatch(/^failed:\n {2}engine: c\.test\.ts > lists > sorts o'clock\n/);
  expect(text).toContain(
    "    expected 1\n    to be 2\n    c.test.ts:3:5\n    again: npm test -- engine --filter 'sorts o'\\''clock'\n  complete output of engine: .routeql/test-logs/1/output/engine.txt\n",
  );
});

test.each([
  ["a.test.ts (setup)", "npm test -- unit"],
  ["the whole suite", "npm test -- unit"],
  ["a.test.ts > adds", "npm test -- unit --filter 'adds'"],
])("reruns %s by %s", (title, command) => expect(commandOf("unit", title)).toBe(command));

test("the table has one line per suite and a total, with aligned columns", () => {
  const lines = summary([unit, gateway], facts).split("\n");
  expect(lines.slice(-6, -2)).toEqual([
    "suite    passed  failed  skipped  seconds",
    "unit          1       0        1      3.2",
    "gateway       0       1        0     12.0",
    "all           1       1        1     13.0",
  ]);
});

test("a suite without a finished test counts as one failure", () => {
  expect(closingLine([withoutEmptiness({ suite: "empty", seconds: 0, tests: [] })])).toBe(
    "0 passed, 1 failed, 0 skipped",
  );
});
