import { expect, test } from "vitest";
import { durations } from "./record.ts";

test("lists each suite with its command, its time and its tests, and the whole run", () => {
  const results = [
    { suite: "e2e", seconds: 200.4, tests: [{ title: "a", state: "passed" as const }] },
    { suite: "faults", seconds: 300, tests: [] },
  ];
  expect(durations(results, { seconds: 1200, load: 0.5 })).toEqual({
    title: "Durations of the suites",
    source: "`.ci/run --everything --record`, two suites at a time; load average before the run 0.50",
    figures: [
      { what: "e2e, `npm test`", figure: "200 s", source: "1 tests" },
      { what: "faults, `npm run test:all`", figure: "300 s", source: "0 tests" },
      { what: "all", figure: "20.0 min", source: "with everything that is built" },
    ],
  });
});
