import { getNamedType, type GraphQLSchema, isInputObjectType, isObjectType } from "graphql";
import type { DeclaredTable, Filter } from "../../declared/declared.ts";
import { sessionVariable } from "@routeql/metadata/filter-names";
import { keyOf } from "../../declared/tables.ts";
import type { DeclaredWrite } from "../../declared/writes.ts";
import { identifier } from "../../declared/filter-text.ts";
import { columnsHeldToSession, mentionsSession } from "../../metadata/conditions.ts";
import { fieldOf } from "../observe/documents.ts";
import type { Verdicts } from "../report/report.ts";
import { sessionWords } from "../decide/rows.ts";
import { sameWrite } from "../decide/same.ts";
import type { Variables } from "../observe/served.ts";
import { realSessions, type Uses, variablesOf } from "../observe/sessions.ts";
import type { Subject } from "../observe/subject.ts";
import { type Attempt, Attempts } from "./attempts.ts";
import {
  type Attempt as AnyAttempt,
  type Expected,
  expectedOutcome,
  lookAt,
  outcomeDifference,
  servedOutcome,
  volatileColumns,
} from "./outcome.ts";
import { settable, targetOf } from "./values.ts";

const mostSessions = 3;

export interface WriteVerification {
  readonly subject: Subject;
  readonly role: string;
  readonly verdicts: Verdicts;
  /** Most rows of a table that is changed as a whole. */
  readonly most: number;
  /** Roles that may change rows which they cannot read. */
  readonly trustedRoles?: readonly string[] | undefined;
  /** The first role with each write permission. For another role with the same one, its findings are repeated. */
  readonly writers?: Map<string, string>;
}

/** Tries to change rows as a role and compares the effects with SQL from the declaration. @param own the role's write permissions */
export async function verifyWrites(
  of: WriteVerification,
  own: readonly DeclaredWrite[],
  further: readonly Variables[] = [],
): Promise<void> {
  const { subject, role, verdicts, trustedRoles = [], writers } = of;
  if (own.length === 0) return;
  const placeOf = ({ schema, name }: DeclaredTable) => `${identifier(schema)}.${identifier(name)}`;
  const sessions = [...(await realSessions(usesOf(subject, role, own), subject.database, placeOf)), ...further];
  for (const write of own) {
    const cell = { role, table: write.table };
    const same = JSON.stringify([sameWrite(subject.access, write), further, trustedRoles.includes(role)]);
    const first = writers?.get(same);
    if (first !== undefined) {
      verdicts.repeat(first, cell);
      continue;
    }
    writers?.set(same, role);
    const what = `the permission of ${role} to ${write.operation} rows`;
    const refusals: (string | undefined)[] = [];
    for (const variables of sessions.slice(0, mostSessions))
      await verdicts.guarded(cell, what, async () => {
        refusals.push(...(await verifyWrite(of, write, variables)));
      });
    const [reason] = refusals;
    if (reason !== undefined && !refusals.includes(undefined))
      verdicts.say("not-tried", cell, `${what}: SQL refuses every attempt, such as: ${reason}`);
  }
}

/** Compares the root fields that change a table, and the columns that they set, with the declaration. */
export function verifyWriteFields({ subject, role, verdicts }: Omit<WriteVerification, "most">, key: string): void {
  const { access } = subject;
  const [schema, target] = [subject.schema(role), targetOf(subject, role, {}, key)];
  if (schema === undefined || target === undefined) return;
  const { names, table, select, catalog } = target;
  const { accepts } = catalog;
  const granted = (operation: DeclaredWrite["operation"]) =>
    access.writes.find((write) => write.role === role && write.table === key && write.operation === operation);
  const usable = (operation: DeclaredWrite["operation"]) => granted(operation)?.backendOnly === false;
  const isVisible = select !== undefined && fieldsOf(schema.getType(table.typeName)).length > 0;
  const insert = accepts.insert && usable("insert");
  const update = accepts.update && usable("update");
  const remove = accepts.insert && usable("delete");
  const expected: Readonly<Record<keyof typeof names, boolean>> = {
    insert,
    insert_one: insert && isVisible,
    update,
    update_many: update,
    update_by_pk: update && target.key !== undefined,
    delete: remove,
    delete_by_pk: remove && target.key !== undefined,
  };
  const served = mutationFields(schema, access.namespace);
  const hold = (name: string, has: boolean, is: boolean, what: string) =>
    verdicts.hold("schema", { role, table: key, name }, has === is, () =>
      has ? `${role} has ${what}, which is not granted` : `${role} lacks ${what}, which is granted`,
    );
  for (const [kind, is] of Object.entries(expected)) {
    const name = names[kind as keyof typeof names];
    hold(name, served.has(name), is, `the root field ${name} (mutation)`);
  }
  for (const [operation, suffix] of [
    ["insert", "insert_input"],
    ["update", "set_input"],
  ] as const) {
    const write = granted(operation);
    if (write === undefined || !usable(operation)) continue;
    const type = access.naming.type(table.names, suffix);
    const inputs = new Set(fieldsOf(schema.getType(type)));
    const columns = settable(target, write);
    for (const column of catalog.columns.keys())
      hold(
        column,
        inputs.has(fieldOf(table, column)),
        columns.includes(column),
        `${table.rootField}.${column} in ${type}`,
      );
  }
}

/** The root fields of mutations, below the namespace if there is one. */
export function mutationFields(schema: GraphQLSchema, namespace: string | undefined): ReadonlySet<string> {
  const root = schema.getMutationType();
  return new Set(fieldsOf(namespace === undefined ? root : getNamedType(root?.getFields()[namespace]?.type)));
}

const fieldsOf = (type: unknown): readonly string[] =>
  isObjectType(type) || isInputObjectType(type) ? Object.keys(type.getFields()) : [];

/** All session variables of the write permissions of a role, and of its select permissions on the same tables. */
function usesOf({ access }: Subject, role: string, own: readonly DeclaredWrite[]): Uses {
  const merged = new Map<string, Uses extends ReadonlyMap<string, infer Places> ? Places : never>();
  for (const { table: key, filter, check, presets } of own) {
    const table = access.tables.get(key);
    if (table === undefined) continue;
    const bound: Filter[] = Object.entries(presets)
      .filter(([, value]) => sessionVariable(value) !== undefined)
      .map(([column, value]) => ({ [column]: { _eq: value } }));
    const conditions = [filter, check, access.permission(role, key)?.filter].filter((each) => each !== undefined);
    for (const [name, places] of variablesOf(access, table, [...conditions, ...bound]))
      merged.set(name, [...(merged.get(name) ?? []), ...places]);
  }
  return merged;
}

/** The table, the tables of nested inserts, and the tables with rows that a deletion removes too. */
function affectedTables({ access, catalog }: Subject, { table: key, operation }: DeclaredWrite) {
  const found = new Set([key]);
  if (operation === "insert") for (const { target } of access.tables.get(key)?.relationships ?? []) found.add(target);
  if (operation === "delete")
    for (const target of found)
      for (const [name, { foreignKeys }] of catalog.tables)
        if (foreignKeys.some((each) => keyOf(each.target) === target)) found.add(name);
  return [...found].flatMap((name) => access.tables.get(name) ?? []);
}

/** The reasons of SQL to refuse each attempt; undefined for one that changes rows. */
async function verifyWrite(
  of: WriteVerification,
  write: DeclaredWrite,
  variables: Variables,
): Promise<readonly (string | undefined)[]> {
  const { subject, role, verdicts, most } = of;
  const target = targetOf(subject, role, variables, write.table);
  if (target === undefined) return [];
  const cell = { role, table: write.table };
  const { sql } = target;
  const tables = affectedTables(subject, write);
  const counted = await subject.database.rows(
    tables
      .map((table) => `select count(*)::text from (select from ${sql.from(table, "it")} limit ${most * 10 + 1}) it`)
      .join(" union all "),
  );
  const sizes = counted.map(([count]) => Number(count));
  if (sizes.some((size) => size > most * 10)) {
    verdicts.say(
      "not-tried",
      cell,
      `the permission of ${role} to ${write.operation} rows: its tables have more than ${most * 10} rows; use a copy with fewer rows`,
    );
    return [];
  }
  const refusals: (string | undefined)[] = [];
  const lookFor = ({ nested }: Attempt) => {
    const reached = ({ key }: DeclaredTable) => write.operation === "delete" || key === write.table || key === nested;
    return lookAt(tables.filter(reached), (table) => sql.from(table, "it"));
  };
  const [size = 0] = sizes;
  // A running engine stores the changes, so it is not asked to change all rows.
  const attempts = await new Attempts(target, write).all(size <= most && subject.kind !== "running");
  if (attempts.length === 0 && write.operation === "insert")
    verdicts.say("not-tried", cell, `the permission of ${role} to insert rows: the values of a row are not known`);
  for (const attempt of attempts) {
    const expected = await verifyAttempt(of, attempt, lookFor(attempt));
    refusals.push(expected.refused ?? (expected.affected === 0 ? "no row meets the filter" : undefined));
    if (expected.refused === undefined) verifyReach(of, attempt, expected);
  }
  return refusals;
}

/** Compares the effects of a request with those of SQL, and returns the latter. */
export async function verifyAttempt(
  { subject, role, verdicts }: Pick<WriteVerification, "subject" | "role" | "verdicts">,
  attempt: AnyAttempt,
  look: string,
): Promise<Expected> {
  const { table, variables } = attempt.target;
  const expected = await expectedOutcome(subject, attempt, look);
  // A running engine stores the changes, so the SQL runs first.
  const earlier = subject.kind === "running" ? await expectedOutcome(subject, attempt, look) : undefined;
  const served = await servedOutcome(subject, attempt, look, expected.refused);
  let wrong = outcomeDifference(served, expected);
  if (wrong !== undefined) {
    const again = earlier ?? (await expectedOutcome(subject, attempt, look));
    wrong = outcomeDifference(served, again, volatileColumns(expected, again));
  }
  verdicts.hold(
    "writes",
    { role, table: table.key },
    wrong === undefined,
    () => `${role}${sessionWords(variables)}: the request to ${attempt.what} ${wrong ?? ""} (${attempt.field})`,
  );
  return expected;
}

/** Reports permitted changes of rows that the role cannot read, or of tables that it may not change. */
function verifyReach(
  { subject: { access }, role, verdicts, trustedRoles = [] }: WriteVerification,
  { target, write, what, sample, column = "" }: Attempt,
  { effects, rows }: Expected & { readonly refused?: undefined },
): void {
  const { select, table, variables } = target;
  const { operation } = write;
  const said = `${role}${sessionWords(variables)} may ${what}`;
  const cell = { role, table: table.key };
  const removed = effects.flatMap(({ place }) => (place.startsWith("- ") ? [place.slice(2)] : []));
  for (const key of operation === "delete" ? new Set(removed) : []) {
    const own = access.writes.filter((other) => other.role === role && other.operation === "delete");
    if (key !== table.key && !own.some((other) => other.table === key))
      verdicts.once("cascade", { ...cell, name: key }, key, `${said}, which also removes rows of ${key}`);
  }
  if (select === undefined || write.backendOnly || !mentionsSession(select.filter) || trustedRoles.includes(role))
    return;
  verdicts.count("write-reach");
  const held = columnsHeldToSession(select.filter, (name) =>
    Object.keys(table.relationships.find((each) => each.name === name)?.mapping ?? {}),
  );
  if (sample?.visible === false && rows.length > 0)
    verdicts.once("write-reach", cell, `hidden ${operation}`, `${said}, though it may not read the row`);
  else if (operation !== "delete" && held.includes(column) && rows.some(([, visible]) => !visible))
    verdicts.once("write-reach", cell, `given ${operation}`, `${said}, and may then not read the row`);
}
