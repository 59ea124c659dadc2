import { readFileSync } from "node:fs";
import { join } from "node:path";
import { figuresFolder, keepFigures } from "../../harness/figures.ts";

interface HostileFigures extends Record<string, number> {
  "hostile inputs": number;
  refused: number;
  "let through": number;
  "normal requests beside them": number;
  "longest of those, ms": number;
}

const empty: HostileFigures = {
  "hostile inputs": 0,
  refused: 0,
  "let through": 0,
  "normal requests beside them": 0,
  "longest of those, ms": 0,
};

const read = (): HostileFigures =>
  JSON.parse(readFileSync(join(figuresFolder, "hostile.json"), "utf8")) as HostileFigures;

/** Called at the suite's start: all files add to the same figures. */
export const beginFigures = (): void => keepFigures("hostile", empty);

export function countInputs(inputs: number, through: number): void {
  const before = read();
  keepFigures("hostile", {
    ...before,
    "hostile inputs": before["hostile inputs"] + inputs,
    refused: before.refused + inputs - through,
    "let through": before["let through"] + through,
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
