import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { figuresFolder } from "./figures.ts";

/** Measured drills by target and name, such as `Docker`, `rotate tls`. */
export type Drills = Readonly<Record<string, Readonly<Record<string, Drill>>>>;

export interface Drill {
  readonly figure: string;
  /** Date of the measurement. */
  readonly on: string;
}

export const drillsFile: string = join(figuresFolder, "../drills.json");

export function readDrills(file: string): Drills {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Drills;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw error;
  }
}

/** Prints a measured drill and keeps it for `npm test -- --record`, which writes docs/reference/drills.md. */
export function keepDrill(target: "Docker" | "Kubernetes", name: string, figure: string): void {
  console.log(`drill on ${target}, ${name}: ${figure}`);
  const drills = readDrills(drillsFile);
  const on = new Date().toISOString().slice(0, 10);
  mkdirSync(figuresFolder, { recursive: true });
  writeFileSync(drillsFile, JSON.stringify({ ...drills, [target]: { ...drills[target], [name]: { figure, on } } }));
}

/** Drills of both, of the same drill the later one: a file of an old run may lie beside records of newer runs. */
export function latestDrills(recorded: Drills, measured: Drills): Drills {
  const targets = Object.keys({ ...recorded, ...measured });
  return Object.fromEntries(
    targets.map((target) => {
      const before = recorded[target] ?? {};
      const later = Object.entries(measured[target] ?? {}).filter(([name, { on }]) => on >= (before[name]?.on ?? ""));
      return [target, { ...before, ...Object.fromEntries(later) }];
    }),
  );
}
