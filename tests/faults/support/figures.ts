import { readFileSync } from "node:fs";
import { join } from "node:path";
import { figuresFolder, keepFigures } from "../../harness/figures/figures.ts";

export interface Counted {
  readonly requests: number;
  readonly wrong: number;
  readonly lost: number;
  /** Milliseconds from the fault's end until every client was served. */
  readonly recovered: number;
  /** Milliseconds. */
  readonly longest: number;
}

const empty = {
  "faults injected": 0,
  requests: 0,
  "wrong answers": 0,
  "acknowledged and lost": 0,
  "longest recovery, ms": 0,
  "longest answer, ms": 0,
};

/** Called at the suite's start: its files add to the same figures. */
export const forgetFigures = (): void => keepFigures("faults", empty);

export interface Raised {
  readonly fault: string;
  readonly alert: string;
  /** Seconds from the fault's start to the alert, and from its end until the alert cleared. */
  readonly fires: number;
  readonly clears: number;
}

/** Adds a row to the suite's table of alerts. */
export function countAlert({ fault, alert, fires, clears }: Raised): void {
  const before = JSON.parse(readFileSync(join(figuresFolder, "faults.json"), "utf8")) as {
    alerts?: readonly (readonly (string | number)[])[];
  };
  const rows = before.alerts ?? [["fault", "alert", "fires after, s", "clears after, s"]];
  keepFigures("faults", { ...before, alerts: [...rows, [fault, alert, Math.round(fires), Math.round(clears)]] });
}

/** Adds one fault to the suite's figures. */
export function countFault({ requests, wrong, lost, recovered, longest }: Counted): void {
  const before = JSON.parse(readFileSync(join(figuresFolder, "faults.json"), "utf8")) as typeof empty;
  keepFigures("faults", {
    ...before,
    "faults injected": before["faults injected"] + 1,
    requests: before.requests + requests,
    "wrong answers": before["wrong answers"] + wrong,
    "acknowledged and lost": before["acknowledged and lost"] + lost,
    "longest recovery, ms": Math.max(before["longest recovery, ms"], Math.round(recovered)),
    "longest answer, ms": Math.max(before["longest answer, ms"], Math.round(longest)),
  });
}
