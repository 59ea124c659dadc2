/**
 * The file of expectations: the permissions of each role, for review.
 * @module
 */
import { parse, stringify } from "yaml";
import { z } from "zod";
import type { DeclaredAccess, DeclaredPermission, DeclaredTable } from "@routeql/metadata/declared/declared";
import { filterWords } from "@routeql/metadata/declared/filter-text";
import { type Filter, operations, UnderivableMetadata } from "@routeql/metadata/declared/permission";
import type { DeclaredWrite } from "@routeql/metadata/declared/writes";
import { UsageError } from "../cli/usage-error.ts";

const entry = z.strictObject({
  columns: z.array(z.string()),
  rows: z.string(),
  /** Most rows at once. */
  limit: z.union([z.number().int(), z.literal("none")]),
  operations: z.array(z.enum(operations)),
  /** Relationships to tables that the role may read. */
  "goes on to": z.array(z.string()).default([]),
  /** Columns that are null where the condition does not hold. */
  "only where": z.record(z.string(), z.string()).default({}),
});

/** A write permission. */
const write = z.strictObject({
  columns: z.array(z.string()).default([]),
  /** The rows that may be changed. */
  rows: z.string().optional(),
  /** The condition on new rows. */
  check: z.string().optional(),
  /** Values that the permission sets. */
  sets: z.record(z.string(), z.unknown()).optional(),
  "backend only": z.literal(true).optional(),
});

const role = z.strictObject({
  reads: z.record(z.string(), entry).default({}),
  /** By operation and table: `update view_hijacks`. */
  writes: z.record(z.string(), write).default({}),
  calls: z.array(z.string()).default([]),
});
const ofOne = z.strictObject({ roles: z.record(z.string(), role) });
const ofSeveral = z.strictObject({ sources: z.record(z.string(), ofOne) });

/** The permissions of each role in one source. */
export type Expectations = z.output<typeof ofOne>;
/** The file for several sources, by name. */
export type ExpectationsBySource = z.output<typeof ofSeveral>;
type Entry = z.output<typeof entry>;
type WriteEntry = z.output<typeof write>;

const words = (read: () => string) => {
  try {
    return read().replaceAll("`", "");
  } catch (error) {
    if (error instanceof UnderivableMetadata) return `by a filter that cannot be read: ${error.message}`;
    throw error;
  }
};

function entryOf(access: DeclaredAccess, table: DeclaredTable, permission: DeclaredPermission): Entry {
  const field = (column: string) => table.fields.get(column) ?? column;
  return {
    columns: [...permission.columns.map(field), ...permission.computedFields].toSorted(),
    rows: words(() => filterWords(access, table.key, permission.filter)),
    limit: permission.limit ?? "none",
    operations: operations.filter((operation) => permission.operations.has(operation)),
    "goes on to": table.relationships
      .filter(({ target }) => access.permission(permission.role, target) !== undefined)
      .map(({ name }) => name),
    "only where": Object.fromEntries(
      [...permission.cells].map(([column, filter]) => [
        field(column),
        words(() => filterWords(access, table.key, filter)),
      ]),
    ),
  };
}

/** Name and content of the entry of a write permission. */
function writeEntryOf(access: DeclaredAccess, declared: DeclaredWrite): readonly [string, WriteEntry] | undefined {
  const { table, operation, columns, filter, check, presets, backendOnly } = declared;
  const target = access.tables.get(table);
  if (target === undefined) return undefined;
  const field = (column: string) => target.fields.get(column) ?? column;
  const text = (condition: Filter) => words(() => filterWords(access, table, condition));
  return [
    `${operation} ${target.rootField}`,
    {
      columns: columns.map(field).toSorted(),
      ...(filter === undefined ? {} : { rows: text(filter) }),
      ...(check === undefined ? {} : { check: text(check) }),
      ...(Object.keys(presets).length === 0
        ? {}
        : { sets: Object.fromEntries(Object.entries(presets).map(([column, value]) => [field(column), value])) }),
      ...(backendOnly ? { "backend only": true as const } : {}),
    },
  ];
}

/** A write permission in one line. */
export function writeText({ columns, rows, check, sets, "backend only": backend }: WriteEntry): string {
  const presets = Object.entries(sets ?? {}).map(([column, value]) => `${column} = ${JSON.stringify(value)}`);
  return [
    ...(columns.length === 0 ? [] : [`columns ${columns.join(", ")}`]),
    ...(rows === undefined ? [] : [`rows: ${rows}`]),
    ...(check === undefined ? [] : [`new rows: ${check}`]),
    ...(presets.length === 0 ? [] : [`sets ${presets.join(", ")}`]),
    ...(backend === true ? ["backend only"] : []),
  ].join("; ");
}

/** The write permissions of a role: `update view_hijacks` and its entry. */
export function writesOfRole(access: DeclaredAccess, role: string): readonly (readonly [string, WriteEntry])[] {
  return access.writes
    .filter((each) => each.role === role)
    .flatMap((each) => {
      const found = writeEntryOf(access, each);
      return found === undefined ? [] : [found];
    });
}

/** The permission of a role on a native query: columns, the filter as written, and the limit. */
export function rowsText({ columns, filter, limit }: DeclaredPermission): string {
  return `${columns.toSorted().join(", ")}, rows ${JSON.stringify(filter)}, ${limit === undefined ? "no limit" : `at most ${limit}`}`;
}

/** The granted permissions in the form of the file. Tables have the names of their root fields. */
export function expectationsOf(access: DeclaredAccess, rolesWithoutPermission: readonly string[]): Expectations {
  const roles = [...new Set([...access.roles, ...rolesWithoutPermission])].toSorted();
  return {
    roles: Object.fromEntries(
      roles.map((name) => {
        const tables = [...access.tables.values()].flatMap((table) => {
          const permission = access.permission(name, table.key);
          return permission === undefined ? [] : [[table.rootField, entryOf(access, table, permission)] as const];
        });
        const calls = access.functions
          .filter((called) => access.permission(name, called.target) !== undefined && access.mayCall(name, called))
          .map(({ field }) => field);
        const asked = access.nativeQueries.flatMap((query) => {
          const rows = access.mayAsk(name, query);
          return rows === undefined ? [] : [`${query.field}: ${rowsText(rows)}`];
        });
        const writes = Object.fromEntries(writesOfRole(access, name));
        return [name, { reads: Object.fromEntries(tables), writes, calls: [...calls, ...asked] }];
      }),
    ),
  };
}

function lean({ roles }: Expectations) {
  const entryWithoutEmpty = ({ "goes on to": next, "only where": cells, ...rest }: Entry) => ({
    ...rest,
    ...(next.length === 0 ? {} : { "goes on to": next }),
    ...(Object.keys(cells).length === 0 ? {} : { "only where": cells }),
  });
  return {
    roles: Object.fromEntries(
      Object.entries(roles).map(([name, { reads, writes, calls }]) => [
        name,
        {
          ...(Object.keys(reads).length === 0
            ? {}
            : {
                reads: Object.fromEntries(
                  Object.entries(reads).map(([table, each]) => [table, entryWithoutEmpty(each)]),
                ),
              }),
          ...(Object.keys(writes).length === 0 ? {} : { writes }),
          ...(calls.length === 0 ? {} : { calls }),
        },
      ]),
    ),
  };
}

export function printExpectations(expected: Expectations | ExpectationsBySource): string {
  const content =
    "roles" in expected
      ? lean(expected)
      : { sources: Object.fromEntries(Object.entries(expected.sources).map(([name, each]) => [name, lean(each)])) };
  return `# What each role may do. Written by \`npx hasura-checks permissions --update-expectations\`; Review every change of this file.\n${stringify(content, { lineWidth: 120, flowCollectionPadding: false })}`;
}

/** @throws UsageError */
export function readExpectations(text: string, file: string): Expectations | ExpectationsBySource {
  let content: unknown;
  try {
    content = parse(text);
  } catch (error) {
    throw new UsageError(`${file}: ${(error as Error).message.split("\n")[0] ?? ""}`);
  }
  const shape = typeof content === "object" && content !== null && "sources" in content ? ofSeveral : ofOne;
  const result = shape.safeParse(content);
  if (result.success) return result.data;
  throw new UsageError(
    result.error.issues.map(({ path, message }) => `${file}: ${path.join(".")}: ${message}`).join("\n"),
  );
}

export interface Surprise {
  readonly role: string;
  readonly table?: string;
  readonly name?: string;
  readonly reason: string;
}

const changes = (before: readonly string[], now: readonly string[]) => ({
  added: now.filter((item) => !before.includes(item)),
  removed: before.filter((item) => !now.includes(item)),
});

/** Differences between the metadata and the expectations, in words. */
export function compareExpectations(expected: Expectations, found: Expectations): readonly Surprise[] {
  const surprises: Surprise[] = [];
  const names = [...new Set([...Object.keys(expected.roles), ...Object.keys(found.roles)])].toSorted();
  for (const name of names) {
    const [before, now] = [
      expected.roles[name] ?? { reads: {}, writes: {}, calls: [] },
      found.roles[name] ?? { reads: {}, writes: {}, calls: [] },
    ];
    if (expected.roles[name] === undefined) surprises.push({ role: name, reason: `there is a new role ${name}` });
    if (found.roles[name] === undefined) surprises.push({ role: name, reason: `the role ${name} is gone` });
    for (const table of new Set([...Object.keys(before.reads), ...Object.keys(now.reads)]))
      surprises.push(...compareEntry(name, table, before.reads[table], now.reads[table]));
    for (const what of new Set([...Object.keys(before.writes), ...Object.keys(now.writes)]))
      surprises.push(...compareWrite(name, what, before.writes[what], now.writes[what]));
    const { added, removed } = changes(before.calls, now.calls);
    for (const called of added)
      surprises.push({ role: name, name: called, reason: `role ${name} can now call ${called}` });
    for (const called of removed)
      surprises.push({ role: name, name: called, reason: `role ${name} can no longer call ${called}` });
  }
  return surprises;
}

function compareWrite(
  role: string,
  what: string,
  before: WriteEntry | undefined,
  now: WriteEntry | undefined,
): readonly Surprise[] {
  const [old, current] = [before, now].map((each) => each && writeText(each));
  if (old === current) return [];
  const table = what.split(" ")[1] ?? what;
  if (current === undefined) return [{ role, table, reason: `role ${role} can no longer ${what}` }];
  const reason =
    old === undefined ? `can now ${what} (${current})` : `may now ${what} with ${current}; expected: ${old}`;
  return [{ role, table, reason: `role ${role} ${reason}` }];
}

function compareEntry(
  role: string,
  table: string,
  before: Entry | undefined,
  now: Entry | undefined,
): readonly Surprise[] {
  const say = (reason: string, name?: string): Surprise => ({
    role,
    table,
    ...(name === undefined ? {} : { name }),
    reason: `role ${role} ${reason}`,
  });
  if (before === undefined)
    return now === undefined
      ? []
      : [say(`can now read ${table}: ${now.columns.join(", ") || "no column"} (rows: ${now.rows})`)];
  if (now === undefined) return [say(`can no longer read ${table}`)];
  const columns = changes(before.columns, now.columns);
  const asked = changes(before.operations, now.operations);
  const next = changes(before["goes on to"], now["goes on to"]);
  const cells = [...new Set([...Object.keys(before["only where"]), ...Object.keys(now["only where"])])].filter(
    (column) => before["only where"][column] !== now["only where"][column],
  );
  return [
    ...columns.added.map((column) => say(`can now read ${table}.${column}`, column)),
    ...columns.removed.map((column) => say(`can no longer read ${table}.${column}`, column)),
    ...(before.rows === now.rows
      ? []
      : [say(`now reads other rows of ${table}: ${now.rows}; expected: ${before.rows}`)]),
    ...(before.limit === now.limit
      ? []
      : [say(`gets ${limitWords(now.limit)} of ${table} at once; expected: ${limitWords(before.limit)}`)]),
    ...asked.added.map((operation) => say(`can now query ${table} by ${operation}`)),
    ...asked.removed.map((operation) => say(`can no longer query ${table} by ${operation}`)),
    ...next.added.map((name) => say(`can now follow ${table}.${name}`, name)),
    ...next.removed.map((name) => say(`can no longer follow ${table}.${name}`, name)),
    ...cells.map((column) =>
      say(
        `reads ${table}.${column} only where ${now["only where"][column] ?? "the row is served"}; expected: ${before["only where"][column] ?? "where the row is served"}`,
        column,
      ),
    ),
  ];
}

const limitWords = (limit: Entry["limit"]) => (limit === "none" ? "any number of rows" : `at most ${limit} rows`);
