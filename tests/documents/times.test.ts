import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readFigureRecord } from "../harness/figures/figure-records.ts";
import { inMinutes, recordFirstUse } from "../harness/figures/first-use.ts";
import { timesOfFirstUse } from "./times.ts";

test("the sentence of README.md has the recorded durations, and no others", () => {
  const root = mkdtempSync(join(tmpdir(), "routeql-first-use-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const sentence = (): string => timesOfFirstUse(readFigureRecord("first-use", root));
  recordFirstUse({ first: 245, later: 11.4 }, ".ci/run --first-run", 0.5, root);
  expect(sentence()).toMatch(
    /^With \d+ cores, \d+ GiB, the first `npm run up` took 4 min 5 s and a later one took 11 s \(20[\d-]+\)\. \[More/,
  );
  recordFirstUse({ tests: 600 }, "npm test -- --record", 0.5, root);
  expect(sentence()).toContain("took 4 min 5 s, a later one took 11 s and `npm test` took 10 min 0 s (");
  expect(timesOfFirstUse({})).toMatch(/^\[Figures\]/);
});

test.each([
  [59.6, "1 min 0 s"],
  [12, "12 s"],
  [3600, "60 min 0 s"],
])("%s seconds are %s", (seconds, text) => expect(inMinutes(seconds)).toBe(text));
