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

test("lists a skipped test with its reason", () => {
  expect(summary([unit], facts)).toContain("unit: a.test.ts > reads the files of 2016\n    ../shared/data is absent");
});

test("a failed suite names the folder of its container logs", () => {
  expect(summary([unit, gateway], facts)).toContain("container logs of gateway: .routeql/test-logs/1/gateway");
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

test("prints one line for tests skipped for the same reason", () => {
  const tests = ["one", "two", "three"].map((title) => ({ title, state: "skipped" as const, reason: "needs root" }));
  expect(summary([{ suite: "faults", seconds: 0, tests }], facts)).toMatch(
    /^skipped:\n {2}faults: one and 2 more\n {4}needs root\n\n/,
  );
});

test("the table has one line per suite and a total, with aligned columns", () => {
  const lines = summary([unit, gateway], facts).split("\n");
  expect(lines.slice(-6, -2)).toEqual([
    "suite    passed  failed  skipped  seconds",
    "unit          1       0        1      3.2",
    "gateway       0       1        0     12.0",
    "all           1       1        1     13.0",
  ]);
});

test("shows figures by suite, before the table", () => {
  const figures = [{ suite: "faults", figures: { "faults injected": 21, "wrong answers": 0 } }];
  expect(summary([unit], { seconds: 1, figures })).toMatch(
    /^figures:\n {2}faults: 21 faults injected, 0 wrong answers\n\nsuite /m,
  );
});

test("shows the tables of the figures below their suite", () => {
  const figures = [
    {
      suite: "faults",
      figures: {
        requests: 9,
        alerts: [
          ["fault", "fires after, s"],
          ["engine stopped", 31],
          ["long", 8],
        ],
      },
    },
  ];
  expect(summary([unit], { seconds: 1, figures })).toContain(
    "  faults: 9 requests\n    fault           fires after, s\n    engine stopped              31\n    long                         8\n",
  );
});

test("lists tests over ten seconds, the longest first", () => {
  const times = [3, 12.34, 61, 10];
  const tests = times.map((seconds) => ({ title: `takes ${seconds}`, state: "passed" as const, seconds }));
  expect(summary([unit, { suite: "e2e", seconds: 90, tests }], facts)).toMatch(
    /^slowest:\n {2}61\.0 s e2e: takes 61\n {2}12\.3 s e2e: takes 12\.34\n\nsuite /m,
  );
  expect(summary([unit], facts)).not.toContain("slowest");
});

test("a suite without a finished test counts as one failure", () => {
  expect(closingLine([withoutEmptiness({ suite: "empty", seconds: 0, tests: [] })])).toBe(
    "0 passed, 1 failed, 0 skipped",
  );
});

test("a suite with only skipped tests counts as one additional failure", () => {
  const skipped: SuiteResult = { ...unit, tests: unit.tests.slice(1) };
  expect(closingLine([withoutEmptiness(skipped)])).toBe("0 passed, 1 failed, 1 skipped");
});

test("keeps the results of a suite that ran", () => {
  expect(withoutEmptiness(unit)).toBe(unit);
});
