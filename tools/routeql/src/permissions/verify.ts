import { verifyAggregates } from "./aggregates.ts";
import { verifyExecution } from "./execution.ts";
import { verifyFunction } from "./functions.ts";
import { verifyHiddenRows } from "./hidden-rows.ts";
import { hostileSessions, verifyHostileSessions } from "./hostile.ts";
import { verifySchema } from "./introspection.ts";
import { verifyRelationships } from "./relationships.ts";
import type { Verdicts } from "./report.ts";
import { type Case, caseOf, verifyRows } from "./rows.ts";
import { realSessions, type Uses, variablesOf } from "./sessions.ts";
import type { Filter } from "../../../../engine/src/permissions/declared.ts";
import { MissingVariable } from "./sql.ts";
import { UnderivableMetadata } from "../../../../engine/src/permissions/underivable.ts";
import type { Subject, Variables } from "./subject.ts";
import { verifyStream } from "./streams.ts";

export interface VerificationOptions {
  /** Roles that metadata are to grant nothing. */
  readonly rolesWithoutPermission: readonly string[];
  /** Sessions to try besides those made of values in the database, by role. */
  readonly sessions: Readonly<Record<string, readonly Variables[]>>;
  /** Most rows that are compared one by one for each role, table and session. */
  readonly most: number;
  /** Only these; default: all that metadata name, and those without permission. */
  readonly roles?: readonly string[];
}

/** What a role's sessions hold: every variable that a filter of the role takes anywhere. */
function usesOf({ access }: Subject, role: string): Uses {
  const merged = new Map<string, Uses extends ReadonlyMap<string, infer Places> ? Places : never>();
  for (const table of access.tables.values()) {
    const permission = access.permission(role, table.key);
    if (permission === undefined) continue;
    const filters: readonly Filter[] = [permission.filter, ...permission.cells.values()];
    for (const [name, places] of variablesOf(access, table.key, filters)) merged.set(name, [...(merged.get(name) ?? []), ...places]);
  }
  return merged;
}

/** Holds everything that metadata grant to what an engine serves and to what SQL gives. */
export async function verify(subject: Subject, verdicts: Verdicts, options: VerificationOptions): Promise<void> {
  for (const role of options.roles ?? [...subject.access.roles, ...options.rolesWithoutPermission]) await verifyRole(subject, role, verdicts, options);
}

/** Why the filter, or that of a cell, cannot be written in SQL. */
function unreadableFilter({ sql, permission, subject: { access } }: Case): string | undefined {
  const next = access.tables.get(permission.table)?.relationships ?? [];
  const filters = [permission, ...next.flatMap(({ target }) => access.permission(permission.role, target) ?? [])];
  try {
    for (const each of filters) {
      sql.filter(each, "it");
      for (const column of each.cells.keys()) sql.column(each, column, "it");
    }
    return undefined;
  } catch (error) {
    if (error instanceof UnderivableMetadata) return error.message;
    if (error instanceof MissingVariable) return undefined;
    throw error;
  }
}

async function verifyRole(subject: Subject, role: string, verdicts: Verdicts, { sessions, most }: VerificationOptions): Promise<void> {
  const uses = usesOf(subject, role);
  const real = [...(await realSessions(uses, subject.database)), ...(sessions[role] ?? [])];
  const hostile = hostileSessions(uses, real);
  const [first = {}] = real;
  await verifySchema(subject, role, verdicts);
  await verifyExecution(subject, role, first, verdicts);
  for (const table of subject.access.tables.values()) {
    const permission = subject.access.permission(role, table.key);
    if (permission === undefined) continue;
    const of = (variables: Variables) => caseOf({ subject, role, table, permission, variables, verdicts, most });
    const unreadable = unreadableFilter(of(first));
    if (unreadable !== undefined) {
      verdicts.say("not-verified", { role, table: table.key }, `the rows of ${table.rootField} that ${role} is served: ${unreadable}`);
      continue;
    }
    // A filter without variables gives the same in every session.
    const own = variablesOf(subject.access, table.key, [permission.filter, ...permission.cells.values()]);
    for (const variables of own.size === 0 ? [first] : real) {
      await verifyRows(of(variables));
      await verifyAggregates(of(variables));
      await verifyStream(of(variables));
    }
    for (const variables of real.slice(0, 2)) {
      await verifyRelationships(of(variables));
      await verifyHiddenRows(of(variables));
    }
    if (own.size > 0) await verifyHostileSessions(of(first), hostile);
  }
  for (const called of subject.access.functions) {
    const table = subject.access.tables.get(called.target);
    const permission = subject.access.permission(role, called.target);
    if (table === undefined || permission === undefined || !subject.access.mayCall(role, called)) continue;
    await verifyFunction(caseOf({ subject, role, table, permission, variables: first, verdicts, most }), called);
  }
}
