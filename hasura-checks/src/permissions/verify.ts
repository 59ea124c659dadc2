import pMap from "p-map";
import type {
  DeclaredFunction,
  DeclaredNativeQuery,
  DeclaredPermission,
  DeclaredTable,
  Filter,
  Operation,
} from "../declared/declared.ts";
import { identifier } from "../declared/filter-text.ts";
import { UnderivableMetadata } from "../declared/permission.ts";
import { verifyAggregates } from "./decide/aggregates.ts";
import { type Call, type Calls, callsOfFunction, callsOfNativeQuery, type GivenArguments } from "./observe/calls.ts";
import { verifyExecution } from "./decide/execution.ts";
import { verifyHiddenRows } from "./decide/hidden-rows.ts";
import { hostileSessions, verifyHostileSessions } from "./decide/hostile.ts";
import { verifySchema } from "./decide/introspection.ts";
import { verifyRelationships } from "./decide/relationships.ts";
import type { Verdicts } from "./report/report.ts";
import { type Case, caseOf, cellOf, rootFieldOf, verifyRows } from "./decide/rows.ts";
import { realSessions, type Uses, variablesOf } from "./observe/sessions.ts";
import { MissingVariable } from "./observe/sql.ts";
import { described, relatedTables } from "./decide/same.ts";
import { verifyStream } from "./decide/streams.ts";
import type { Variables } from "./observe/served.ts";
import type { Subject } from "./observe/subject.ts";
import { verifyMutationFunctions } from "./writes/functions.ts";
import { verifyWriteFields, verifyWrites } from "./writes/verify-writes.ts";

export interface VerificationOptions {
  readonly rolesWithoutPermission: readonly string[];
  /** Further sessions, besides those with values of the database, by role. */
  readonly sessions: Readonly<Record<string, readonly Variables[]>>;
  /** Arguments instead of guessed ones, by root field of a native query or a function. */
  readonly arguments: GivenArguments;
  /** Most rows that are compared one by one for each role, table and session. */
  readonly most: number;
  /** Roles that may change rows which they cannot read. */
  readonly trustedRoles?: readonly string[] | undefined;
  /** Only these roles; default: all roles of the metadata, and those without permission. */
  readonly roles?: readonly string[];
  /** Receives the state of a long verification. */
  readonly progress?: (text: string) => void;
}

interface Verification {
  readonly subject: Subject;
  readonly role: string;
  readonly verdicts: Verdicts;
  /** Most rows that are compared one by one. */
  readonly most: number;
  readonly callsOf: (query: DeclaredNativeQuery) => Calls;
  /** Permissions that were checked in depth. For another role with the same permission, only the rows are compared. */
  readonly known: Set<string>;
  /** The first role with each write permission. */
  readonly writers: Map<string, string>;
}

/** Seconds without a report of progress. */
const quiet = 10;

/** Compares the granted permissions with the answers of an engine and with the results of SQL. */
export async function verify(subject: Subject, verdicts: Verdicts, options: VerificationOptions): Promise<void> {
  const calls = new Map<DeclaredNativeQuery, Calls>();
  for (const query of subject.access.nativeQueries)
    calls.set(query, await orReason(() => callsOfNativeQuery(subject, query, options.arguments)));
  const callsOf = (query: DeclaredNativeQuery): Calls => calls.get(query) ?? { reason: "it is not in the metadata" };
  const known = new Set<string>();
  const writers = new Map<string, string>();
  const roles = options.roles ?? [...subject.access.roles, ...options.rolesWithoutPermission];
  const started = performance.now();
  for (const [index, role] of roles.entries()) {
    const seconds = Math.round((performance.now() - started) / 1000);
    if (seconds >= quiet)
      options.progress?.(`${index} of ${roles.length} roles after ${seconds} s, ${verdicts.total} checks`);
    await verdicts.guarded({ role }, `the role ${role}`, () =>
      verifyRole({ subject, role, verdicts, most: options.most, callsOf, known, writers }, options),
    );
  }
}

async function orReason(find: () => Promise<Calls>): Promise<Calls> {
  try {
    return await find();
  } catch (error) {
    if ((error as { code?: unknown }).code === undefined) throw error;
    return { reason: (error as Error).message };
  }
}

async function verifyRole(
  of: Verification,
  { sessions, arguments: given, trustedRoles }: VerificationOptions,
): Promise<void> {
  const { subject, role, verdicts, callsOf } = of;
  const { access, database } = subject;
  const placeOf = (table: DeclaredTable) => {
    const query = access.nativeQueries.find(({ rows }) => rows === table);
    return query === undefined
      ? `${identifier(table.schema)}.${identifier(table.name)}`
      : callsOf(query).calls?.[0]?.from(role, {});
  };
  const uses = usesOf(of);
  const real = [...(await realSessions(uses, database, placeOf)), ...(sessions[role] ?? [])];
  const hostile = hostileSessions(uses, real);
  const [first = {}] = real;
  await verdicts.guarded({ role }, `the schema of ${role}`, () => verifySchema(subject, role, verdicts));
  await verdicts.guarded({ role }, `the fields of ${role}`, () => verifyExecution(subject, role, first, verdicts));
  const reads = (table: DeclaredTable, permission: DeclaredPermission, call?: Call) =>
    verdicts.guarded(
      { role, table: table.key },
      `the rows of ${call?.field ?? table.rootField} that ${role} is served`,
      () => verifyReads(of, (variables) => caseOf({ ...of, table, permission, call, variables }), real, hostile),
    );
  const through = async (
    called: DeclaredNativeQuery | DeclaredFunction,
    { calls, reason }: Calls,
    table: DeclaredTable,
    permission: DeclaredPermission,
  ) => {
    if (calls === undefined)
      verdicts.say(
        "not-verified",
        { role, table: table.key, call: called.field },
        `the rows of ${called.field} that ${role} is served: ${reason}`,
      );
    for (const call of calls ?? []) await reads(table, permission, call);
  };
  await pMap(
    access.tables.values(),
    async (table) => {
      const permission = access.permission(role, table.key);
      if (permission !== undefined) await reads(table, permission);
    },
    { concurrency: subject.concurrency },
  );
  for (const called of access.functions) {
    const table = access.tables.get(called.target);
    const permission = access.permission(role, called.target);
    if (called.exposedAs === "mutation" || table === undefined || permission === undefined) continue;
    if (!access.mayCall(role, called)) continue;
    const aggregates: readonly Operation[] = permission.aggregates ? ["query aggregate", "live aggregate"] : [];
    await through(called, await orReason(() => callsOfFunction(subject, called, given, role, first)), table, {
      ...permission,
      operations: new Set(["query", "live query", ...aggregates]),
    });
  }
  for (const query of access.nativeQueries) {
    const permission = access.mayAsk(role, query);
    if (permission !== undefined) await through(query, callsOf(query), query.rows, permission);
  }
  if (!subject.triesWrites) return;
  const writes = access.writes.filter((write) => write.role === role);
  for (const key of access.tables.keys()) verifyWriteFields(of, key);
  await verifyMutationFunctions(of, given, real);
  await verifyWrites({ ...of, trustedRoles }, writes, sessions[role]);
}

function usesOf({ subject: { access }, role }: Verification): Uses {
  const merged = new Map<string, Uses extends ReadonlyMap<string, infer Places> ? Places : never>();
  const granted = [
    ...[...access.tables.values()].map((table) => [table, access.permission(role, table.key)] as const),
    ...access.nativeQueries.map((query) => [query.rows, access.mayAsk(role, query)] as const),
  ];
  for (const [table, permission] of granted) {
    if (permission === undefined) continue;
    for (const [name, places] of variablesOf(access, table, filtersOf(permission)))
      merged.set(name, [...(merged.get(name) ?? []), ...places]);
  }
  return merged;
}

const filtersOf = ({ filter, cells }: DeclaredPermission): readonly Filter[] => [filter, ...cells.values()];

/** Checks the rows of a table, a function or a native query in all sessions. */
async function verifyReads(
  { subject: { access }, callsOf, verdicts, known }: Verification,
  of: (variables: Variables) => Case,
  real: readonly Variables[],
  hostile: readonly Variables[],
): Promise<void> {
  const [first = {}] = real;
  const example = of(first);
  const field = rootFieldOf(example, "query");
  const guarded = (what: string, work: () => Promise<void>) =>
    verdicts.guarded(cellOf(example), `${what} of ${field} that ${example.role} is served`, work);
  const unreadable = unreadableFilter(example);
  if (unreadable !== undefined) {
    verdicts.say("not-verified", cellOf(example), `the rows of ${field} that ${example.role} is served: ${unreadable}`);
    return;
  }
  // A filter without variables selects the same rows in every session.
  const own = variablesOf(access, example.table, filtersOf(example.permission));
  for (const variables of own.size === 0 ? [first] : real) {
    await guarded("the rows", () => verifyRows(of(variables)));
    await guarded("the aggregates", () => verifyAggregates(of(variables)));
    await guarded("the stream", () => verifyStream(of(variables)));
  }
  const same = samePermission(example);
  if (known.has(same)) return;
  known.add(same);
  for (const variables of real.slice(0, 2)) {
    await guarded("the relationships", () => verifyRelationships(of(variables), callsOf));
    await guarded("the hidden rows", () => verifyHiddenRows(of(variables)));
  }
  if (own.size > 0) await guarded("the rows in hostile sessions", () => verifyHostileSessions(example, hostile));
}

/** A key that is equal for roles with the same permission on a table and on its related tables. */
const samePermission = ({ subject: { access }, role, table, permission, call }: Case): string =>
  JSON.stringify([
    table.key,
    call?.field,
    call?.args,
    described(permission),
    relatedTables(access, table).map(({ key }) => described(access.permission(role, key))),
  ]);

function unreadableFilter({ sql, permission, table, subject: { access } }: Case): string | undefined {
  const filters = [
    permission,
    ...table.relationships.flatMap(({ target }) => access.permission(permission.role, target) ?? []),
  ];
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
