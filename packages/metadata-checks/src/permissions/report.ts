import { UnderivableMetadata } from "@routeql/metadata/declared/underivable";
import { UsageError } from "../cli/usage-error.ts";
import type { Finding } from "../findings/finding.ts";
import type { Project } from "../metadata/project.ts";
import { permissionsOf } from "../rules/rule.ts";
import { notExamined } from "../rules/shape.ts";
import { MissingVariable } from "./sql.ts";
import { Unanswered } from "./served.ts";
import { type Subject } from "./subject.ts";

/** What can be wrong with a permission, found by asking. */
export const verifications = {
  schema: ["error", "the role's schema is not what is declared"],
  execution: ["error", "a root field, column or relationship is served or refused against what is declared"],
  rows: ["error", "the rows served are not those that the filter, written in SQL, gives"],
  limit: ["error", "more rows are served at once than the limit"],
  aggregates: ["error", "an aggregate counts rows that the filter hides, or misses some"],
  relationships: ["error", "a relationship leads to rows that the filter of their table hides, or misses some"],
  "hidden-rows": ["error", "a hidden row shows to somebody who knows its key or its values"],
  sessions: ["error", "a session with a variable missing, malformed or hostile is served rows or another answer than SQL gives"],
  "error-texts": ["error", "an error tells of what the role may not see"],
  "not-verified": ["warning", "something could not be verified, and why"],
} as const;

export type Verification = keyof typeof verifications;

/** Where something was found. */
export interface Cell {
  readonly role: string;
  readonly table?: string;
  readonly name?: string;
  /** Root field of a function or a native query, where its rows were looked at. */
  readonly call?: string;
}

const mostPerCell = 5;

/** What to do about a difference, by the engine that serves it. */
const faults: Readonly<Record<Subject["kind"], string>> = {
  embedded: "this is a fault of the embedded engine or of this tool: report it with the metadata",
  running: "compare the metadata of the engine (diff --endpoint) and its version; until it is corrected, do not rely on this permission",
};

/** Collects what verifications find, and counts what they looked at. */
export class Verdicts {
  readonly findings: Finding[] = [];
  readonly counts: Partial<Record<Verification, number>> = {};
  readonly #fault: string;
  readonly #project: Project;
  readonly #source: string | undefined;
  readonly #positions: ReadonlyMap<string, ReturnType<Project["position"]>>;
  readonly #perCell = new Map<string, number>();

  /** @param source its name, where the metadata have several */
  constructor(project: Project, source?: string, kind: Subject["kind"] = "embedded") {
    this.#fault = faults[kind];
    this.#source = source;
    this.#project = project;
    const { metadata } = project;
    const placed = metadata === undefined ? [] : permissionsOf({ project, metadata });
    this.#positions = new Map(placed.map(({ role, key, at }) => [`${role}\n${key}`, project.position(at.slice(0, -1))]));
  }

  /** Notes that one thing was looked at. */
  count(kind: Verification, number = 1): void {
    this.counts[kind] = (this.counts[kind] ?? 0) + number;
  }

  /** Looks at one thing; says what is wrong unless it holds. */
  hold(kind: Verification, cell: Cell, holds: boolean, reason: () => string): void {
    this.count(kind);
    if (!holds) this.say(kind, cell, reason());
  }

  say(kind: Verification, cell: Cell, reason: string): void {
    const { role, table, call, name = call } = cell;
    const key = `${kind}\n${role}\n${table ?? ""}\n${call ?? ""}`;
    const said = (this.#perCell.get(key) ?? 0) + 1;
    this.#perCell.set(key, said);
    if (said > mostPerCell) return;
    const position = this.#positions.get(`${role}\n${table ?? ""}`) ?? this.#project.position(["sources"]);
    this.findings.push({
      rule: kind,
      severity: verifications[kind][0],
      ...position,
      ...(this.#source === undefined ? {} : { source: this.#source }),
      role,
      ...(table === undefined ? {} : { table }),
      ...(name === undefined ? {} : { name }),
      reason: said === mostPerCell ? `${reason} (and more of the kind)` : reason,
      remedy: kind === "not-verified" ? "verify it otherwise, or change what stands in the way" : this.#fault,
    });
  }

  /** Reports objects of the metadata that are not examined: those that do not fit the database, and those of a kind that is left out. */
  notExamined(objects: Subject["left"]): void {
    for (const { at, kind, name, reason } of objects) {
      this.findings.push({
        rule: notExamined.id,
        severity: kind === "unsupported" ? "note" : "warning",
        ...this.#project.positionOf(this.#project.loaded.locate(at)),
        ...(this.#source === undefined ? {} : { source: this.#source }),
        name,
        reason: `not examined: ${name}: ${reason.replace(/, which this engine does not serve.*$/, "")}`,
        remedy: kind === "unsupported" ? notExamined.remedy : "correct the metadata, or apply the missing migrations to the database",
      });
    }
  }

  /**
   * Runs one part of a verification. A database that fails, and a fault of this tool, are reported as `not-verified`, and the rest goes on.
   * @throws UsageError
   */
  async guarded(cell: Cell, what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (error instanceof UsageError) throw error;
      const reason = (error as Error).message.split("\n")[0] ?? "unknown error";
      const isKnown = error instanceof Unanswered || error instanceof UnderivableMetadata || error instanceof MissingVariable || (error as { code?: unknown }).code !== undefined;
      this.say("not-verified", cell, `${what}: ${isKnown ? "" : "this tool failed: "}${reason}`);
    }
  }

  get total(): number {
    return Object.values(this.counts).reduce((sum, count) => sum + count, 0);
  }
}
