import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { readFigureRecord } from "../harness/figures/figure-records.ts";
import { recordFigures } from "./figures.ts";
import type { TestRecord } from "./results.ts";

const conditions = { seconds: 60, lanes: 2, load: 0, busy: 0.5 };
const resultOf = (state: TestRecord["state"]) => ({ suite: "faults", seconds: 12, tests: [{ title: "a", state }] });
const figures = [{ suite: "faults", figures: { "wrong answers": 1 } }];

let root: string;

beforeEach(() => {
  vi.spyOn(console, "log").mockReturnValue();
  root = mkdtempSync(join(tmpdir(), "routeql-figures-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
});

test("records durations and counts of a run that passed", async () => {
  await recordFigures([resultOf("passed")], figures, conditions, { root, drills: join(root, "drills.json") });
  expect(readFigureRecord("durations", root)).toMatchObject({ faults: { figure: "12 s" }, all: { figure: "1.0 min" } });
  expect(readFigureRecord("tests", root)).toMatchObject({ faults: { figure: "wrong answers: 1" } });
  expect(readdirSync(root)).toContain("drills.json");
});

test("records no figures of a run with a failed test", async () => {
  const results = [resultOf("passed"), resultOf("failed")];
  await recordFigures(results, figures, conditions, { root, drills: join(root, "drills.json") });
  expect(readdirSync(root)).toEqual([]);
});
