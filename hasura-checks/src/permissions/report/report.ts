import { UnderivableMetadata } from "../../declared/permission.ts";
import { UsageError } from "../../cli/usage-error.ts";
import type { Finding } from "../../findings/finding.ts";
import type { Project } from "../../metadata/project.ts";
import { permissionsOf, tablesOf } from "../../metadata/walk.ts";
import { MissingVariable } from "../observe/sql.ts";
import { OutOfTime, Unanswered } from "../observe/served.ts";
import { type Subject } from "../observe/subject.ts";

/** Kinds of checks, with the severity of a finding and its meaning. */
export const verifications = {
  schema: ["error", "the schema of the role differs from the declaration"],
  execution: ["error", "a root field, column or relationship is served or refused contrary to the declaration"],
  rows: ["error", "the served rows differ from those of the filter in SQL"],
  limit: ["error", "a list is longer than the limit"],
  aggregates: ["error", "an aggregate includes hidden rows, or misses visible ones"],
  relationships: ["error", "a relationship returns hidden rows, or misses visible ones"],
  "hidden-rows": ["error", "a client that knows the key or the values of a hidden row can find it"],
  sessions: ["error", "the answer to a session with a missing, malformed or hostile variable differs from SQL"],
  writes: ["error", "a mutation changes, refuses or returns other rows than its permission in SQL"],
  "error-texts": ["error", "an error reveals an object that the role may not see"],
  "write-reach": ["warning", "a role may change rows that it cannot read, or give rows to another session"],
  cascade: ["note", "a deletion also removes rows of a table from which the role may not delete"],
  "not-tried": ["note", "a write permission of which no attempt changes rows, so that its check is not proven"],
  "not-verified": ["warning", "a permission could not be verified, with the reason"],
} as const;

export type Verification = keyof typeof verifications;

/** The place of a finding. */
export interface Cell {
  readonly role: string;
  readonly table?: string;
  readonly name?: string;
  /** Root field of a function or a native query. */
  readonly call?: string;
}

const mostPerCell = 5;

/** Kinds of findings about the changes of a role. */
const changing: ReadonlySet<string> = new Set([
  "writes",
  "write-reach",
  "cascade",
  "not-tried",
] satisfies Verification[]);

const unproven = "remove the cause, or verify the permission in another way";

/** Remedies that do not depend on the engine. */
const remedies: Readonly<Partial<Record<Verification, string>>> = {
  "not-tried": unproven,
  "not-verified": unproven,
  "write-reach":
    "bind the rows in the filter or the check of the write permission as in the select permission; list the role in trustedRoles where this is intended",
  cascade: "restrict the deletion, or change the foreign key if the related rows must stay",
};

/** The remedy for a difference, by the kind of engine. */
const faults: Readonly<Record<Subject["kind"], string>> = {
  embedded: "report this fault of the embedded engine or of this tool, with the metadata",
  running:
    "compare the metadata of the engine (diff --endpoint) and its version. Do not rely on this permission until the cause is corrected",
};

export class Verdicts {
  readonly #findings: Finding[] = [];
  readonly counts: Partial<Record<Verification, number>> = {};
  readonly #fault: string;
  readonly #project: Project;
  readonly #source: string | undefined;
  readonly #positions: ReadonlyMap<string, ReturnType<Project["position"]>>;
  readonly #perCell = new Map<string, number>();
  readonly #causes = new Set<string>();
  readonly #until: number;
  readonly #left: string[] = [];

  /** @param source name, if there are several @param until `performance.now()` after which no part of a verification starts */
  constructor(
    project: Project,
    source?: string,
    kind: Subject["kind"] = "embedded",
    until: number = Number.POSITIVE_INFINITY,
  ) {
    this.#until = until;
    this.#fault = faults[kind];
    this.#source = source;
    this.#project = project;
    const { metadata } = project;
    const placed = metadata === undefined ? [] : permissionsOf({ project, metadata });
    const tables = metadata === undefined ? [] : tablesOf({ project, metadata });
    this.#positions = new Map([
      ...tables.map(({ key, path }) => [key, project.position(path)] as const),
      ...placed.map(({ role, key, at }) => [`${role}\n${key}`, project.position(at.slice(0, -1))] as const),
    ]);
  }

  /** Findings by role and table, in an order that does not depend on the order of the answers. */
  get findings(): readonly Finding[] {
    const keyOf = ({ role = "", table = "", rule }: Finding) => `${role}\n${table}\n${rule}`;
    return this.#findings.toSorted((one, other) => keyOf(one).localeCompare(keyOf(other), "en"));
  }

  count(kind: Verification, number = 1): void {
    this.counts[kind] = (this.counts[kind] ?? 0) + number;
  }

  /** Counts one check, and adds a finding if it failed. */
  hold(kind: Verification, cell: Cell, holds: boolean, reason: () => string): void {
    this.count(kind);
    if (!holds) this.say(kind, cell, reason());
  }

  /** Adds only the first finding of one cause. */
  once(kind: Verification, cell: Cell, cause: string, reason: string): void {
    const key = JSON.stringify([kind, cell.role, cell.table, cause]);
    if (!this.#causes.has(key)) this.say(kind, cell, reason);
    this.#causes.add(key);
  }

  say(kind: Verification, cell: Cell, reason: string): void {
    const { role, table, call, name = call } = cell;
    const key = `${kind}\n${role}\n${table ?? ""}\n${call ?? ""}`;
    const said = (this.#perCell.get(key) ?? 0) + 1;
    this.#perCell.set(key, said);
    if (said > mostPerCell) return;
    const position =
      this.#positions.get(`${role}\n${table ?? ""}`) ??
      this.#positions.get(table ?? "") ??
      this.#project.position(["sources"]);
    this.#findings.push({
      rule: kind,
      severity: verifications[kind][0],
      ...position,
      source: this.#source,
      role,
      table,
      name,
      reason: said === mostPerCell ? `${reason} (and more like this)` : reason,
      remedy: remedies[kind] ?? this.#fault,
    });
  }

  /** Repeats the findings about the changes of one role for another one with the same permission. */
  repeat(from: string, { role, table }: Cell): void {
    const same = this.#findings.filter((finding) => finding.role === from && finding.table === table);
    const known = new Set(this.#findings.map(({ rule, reason }) => `${rule} ${reason}`));
    for (const { rule, reason: first, name } of same) {
      if (!changing.has(rule)) continue;
      const reason = first.replace(from, role);
      if (!known.has(`${rule} ${reason}`)) this.say(rule as Verification, { role, table, name }, reason);
    }
  }

  /** Reports objects of the metadata that are not examined: they do not fit the database, or their kind is not supported. */
  notExamined(rule: { readonly id: string; readonly remedy: string }, objects: Subject["left"]): void {
    for (const { at, kind, name, reason } of objects) {
      this.#findings.push({
        rule: rule.id,
        severity: kind === "unsupported" ? "note" : "warning",
        ...this.#project.positionOf(this.#project.loaded.locate(at)),
        source: this.#source,
        name,
        reason: `not examined: ${name}: ${reason.replace(/, which this engine does not serve.*$/, "")}`,
        remedy:
          kind === "unsupported"
            ? rule.remedy
            : "correct the metadata, or apply the missing migrations to the database",
      });
    }
  }

  /** Reports the parts for which there was no time, as one finding. */
  outOfTime(minutes: number): void {
    const [first] = this.#left;
    if (first === undefined) return;
    const others = this.#left.length - 1;
    this.#findings.push({
      rule: "not-verified",
      severity: "warning",
      ...this.#project.position(["sources"]),
      source: this.#source,
      reason: `not examined within --minutes ${minutes}: ${first}${others === 0 ? "" : `, and ${others} further parts`}`,
      remedy: "raise --minutes, or use a copy of the database with fewer rows",
    });
  }

  /** Runs one part of a verification. A failure of the database or of this tool becomes `not-verified`. @throws UsageError */
  async guarded(cell: Cell, what: string, work: () => Promise<void>): Promise<void> {
    try {
      if (performance.now() > this.#until) throw new OutOfTime();
      await work();
    } catch (error) {
      if (error instanceof UsageError) throw error;
      if (error instanceof OutOfTime) {
        this.#left.push(what);
        return;
      }
      const reason = (error as Error).message.split("\n")[0] ?? "unknown error";
      const isKnown =
        error instanceof Unanswered ||
        error instanceof UnderivableMetadata ||
        error instanceof MissingVariable ||
        (error as { code?: unknown }).code !== undefined;
      this.say("not-verified", cell, `${what}: ${isKnown ? "" : "this tool failed: "}${reason}`);
    }
  }

  get total(): number {
    return Object.values(this.counts).reduce((sum, count) => sum + count, 0);
  }
}
