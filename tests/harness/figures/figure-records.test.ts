import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type Measurement, readFigureRecord, writeFigureRecord } from "./figure-records.ts";

const measured = (date: string): Measurement => ({
  command: "npm run bench:engine",
  commit: "0123456789",
  date,
  machine: "2 cores, 24 GiB",
});

test("a record keeps figures that were not measured again, in their order", () => {
  const root = mkdtempSync(join(tmpdir(), "routeql-figures-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const [first, second] = [measured("2026-05-04"), measured("2026-05-05")];
  const figures = { "10 rows": { figure: "1.3" }, ready: { figure: "4 ms" } };
  writeFigureRecord({ name: "engine", figures, measurement: first, isWhole: true }, root);
  const again = { "10 rows": { figure: "1.4", note: "p99 0.8" } };
  writeFigureRecord({ name: "engine", figures: again, measurement: second, isWhole: false }, root);
  expect(Object.entries(readFigureRecord("engine", root))).toEqual([
    ["10 rows", { figure: "1.4", note: "p99 0.8", ...second }],
    ["ready", { figure: "4 ms", ...first }],
  ]);
  writeFigureRecord({ name: "engine", figures: again, measurement: second, isWhole: true }, root);
  expect(Object.keys(readFigureRecord("engine", root))).toEqual(["10 rows"]);
});
