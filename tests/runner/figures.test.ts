import { mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readFigures } from "./figures.ts";

test("reads the figures of this run only", async () => {
  const folder = await mkdtemp(join(tmpdir(), "routeql-figures-"));
  try {
    await writeFile(join(folder, "hostile.json"), '{"attacks refused": 812}');
    await writeFile(join(folder, "faults.json"), '{"faults injected": 21}');
    await utimes(join(folder, "faults.json"), 1000, 1000);
    expect(await readFigures(2_000_000, folder)).toEqual([{ suite: "hostile", figures: { "attacks refused": 812 } }]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("without figures there is no output", async () => {
  expect(await readFigures(0, "/nowhere/figures")).toEqual([]);
});
