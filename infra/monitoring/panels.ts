import { readFileSync } from "node:fs";
import { parse } from "yaml";

export type Unit = "count" | "per second" | "per minute" | "seconds" | "share" | "bytes";

export interface Panel {
  readonly title: string;
  readonly unit: Unit;
  /** PromQL. */
  readonly query: string;
  /** Labels that distinguish the rows. */
  readonly by: readonly string[];
  /** Whether a stack under normal load has no sample, because the figure counts errors. */
  readonly mayBeEmpty?: boolean;
}

interface Section {
  readonly title: string;
  readonly panels: readonly Panel[];
}

/** The figures for operators. */
export const sections = parse(readFileSync(new URL("panels.yml", import.meta.url), "utf8")) as readonly Section[];
