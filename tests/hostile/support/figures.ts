import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type FigureTable, figuresFolder, keepFigures } from "../../harness/figures/figures.ts";

interface HostileFigures extends Record<string, number | FigureTable> {
  "hostile inputs": number;
  refused: number;
  "let through": number;
  "normal requests beside them": number;
  "longest of those, ms": number;
  /** One row for each test of attacks. */
  classes: FigureTable;
}

const empty: HostileFigures = {
  "hostile inputs": 0,
  refused: 0,
  "let through": 0,
  "normal requests beside them": 0,
  "longest of those, ms": 0,
  classes: [["class of attempts", "attempts", "let through"]],
};

const read = (): HostileFigures =>
  JSON.parse(readFileSync(join(figuresFolder, "hostile.json"), "utf8")) as HostileFigures;

/** Called at the suite's start: all files add to the same figures. */
export const beginFigures = (): void => keepFigures("hostile", empty);

/** @param title of the test, which names the class of its inputs */
export function countInputs(title: string, inputs: number, through: number): void {
  const before = read();
  keepFigures("hostile", {
    ...before,
    "hostile inputs": before["hostile inputs"] + inputs,
    refused: before.refused + inputs - through,
    "let through": before["let through"] + through,
    classes: [...before.classes, [title, inputs, through]],
  });
}

export function countNormal(milliseconds: number): void {
  const before = read();
  keepFigures("hostile", {
    ...before,
    "normal requests beside them": before["normal requests beside them"] + 1,
    "longest of those, ms": Math.max(before["longest of those, ms"], Math.round(milliseconds)),
  });
}

/** `1,234 hostile inputs: 1,234 rejected, 0 let through; 40 normal requests answered beside them, the slowest in 310 ms` */
export function figuresLine(): string {
  const {
    "hostile inputs": inputs,
    refused,
    "let through": through,
    "normal requests beside them": normal,
    ...rest
  } = read();
  const shown = (value: number) => value.toLocaleString("en");
  return (
    `${shown(inputs)} hostile inputs: ${shown(refused)} rejected, ${shown(through)} let through; ` +
    `${shown(normal)} normal requests answered beside them, the slowest in ${shown(rest["longest of those, ms"])} ms`
  );
}
