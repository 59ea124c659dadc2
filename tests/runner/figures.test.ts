import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { readFigureRecord } from "../harness/figures/figure-records.ts";
import { recordCounts, recordDuration, recordFigures } from "./figures.ts";
import type { TestRecord } from "./results.ts";

const conditions = { seconds: 60, load: 0 };
const resultOf = (state: TestRecord["state"]) => ({ suite: "faults", seconds: 12, tests: [{ title: "a", state }] });
const figures = [{ suite: "faults", figures: { "wrong answers": 1 } }];

let root: string;

beforeEach(() => {
  vi.spyOn(console, "log").mockReturnValue();
  root = mkdtempSync(join(tmpdir(), "routeql-figures-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
});

test("records the counts of a run that passed", async () => {
  await recordFigures([resultOf("passed")], figures, conditions, { root, drills: join(root, "drills.json") });
  expect(readFigureRecord("tests", root)).toMatchObject({ faults: { figure: "wrong answers: 1" } });
  expect(readdirSync(root)).toContain("drills.json");
});

test("records the duration of a complete run only", () => {
  recordDuration("everything", [resultOf("passed"), resultOf("skipped")], conditions, root);
  expect(readdirSync(root)).toEqual([]);
  recordDuration("everything", [resultOf("passed")], conditions, root);
  expect(readFigureRecord("first-use", root)).toMatchObject({ "`npm run test:all`": { figure: "1 min 0 s" } });
});

test("records no figures of a run with a failed test", async () => {
  const results = [resultOf("passed"), resultOf("failed")];
  await recordFigures(results, figures, conditions, { root, drills: join(root, "drills.json") });
  expect(readdirSync(root)).toEqual([]);
});

test("counts of named suites are recorded only without failures", () => {
  recordCounts([resultOf("failed")], figures, 1, root);
  expect(() => readFigureRecord("tests", root)).toThrow("ENOENT");
  recordCounts([resultOf("passed")], figures, 1, root);
  expect(Object.values(readFigureRecord("tests", root))[0]).toMatchObject({ load: 1 });
});
