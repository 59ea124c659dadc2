/** The file of expectations: the permissions of each role, for review. */
import { stringify } from "yaml";
import { z } from "zod";
import type { DeclaredAccess, DeclaredPermission, DeclaredTable } from "../../declared/declared.ts";
import { filterWords } from "../../declared/filter-text.ts";
import { type Filter, operations, UnderivableMetadata } from "../../declared/permission.ts";
import type { DeclaredWrite } from "../../declared/writes.ts";
import { yamlOf } from "../../cli/read-file.ts";
import { UsageError } from "../../cli/usage-error.ts";

const entry = z.strictObject({
  columns: z.array(z.string()).default([]),
  rows: z.string(),
  /** Most rows at once. */
  limit: z.union([z.number().int(), z.literal("none")]),
  operations: z.array(z.enum(operations)).default([]),
  /** Relationships to tables that the role may read. */
  "goes on to": z.array(z.string()).default([]),
  /** Columns that are null where the condition does not hold. */
  "only where": z.record(z.string(), z.string()).default({}),
});

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

export type Expectations = z.output<typeof ofOne>;
export type ExpectationsBySource = z.output<typeof ofSeveral>;
type Entry = z.output<typeof entry>;
type WriteEntry = z.output<typeof write>;

/** The text of a filter, or the reason why it cannot be read. */
export function told(read: () => string): string {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnderivableMetadata) return `by a filter that cannot be read: ${error.message}`;
    throw error;
  }
}

const words = (access: DeclaredAccess, table: string, filter: Filter) =>
  told(() => filterWords(access, table, filter)).replaceAll("`", "");

function entryOf(access: DeclaredAccess, table: DeclaredTable, permission: DeclaredPermission): Entry {
  const field = (column: string) => table.fields.get(column) ?? column;
  return {
    columns: [...permission.columns.map(field), ...permission.computedFields].toSorted(),
    rows: words(access, table.key, permission.filter),
    limit: permission.limit ?? "none",
    operations: operations.filter((operation) => permission.operations.has(operation)),
    "goes on to": table.relationships
      .filter(({ target }) => access.permission(permission.role, target) !== undefined)
      .map(({ name }) => name),
    "only where": Object.fromEntries(
      [...permission.cells].map(([column, filter]) => [field(column), words(access, table.key, filter)]),
    ),
  };
}

/** Name and content of the entry of a write permission. */
function writeEntryOf(access: DeclaredAccess, declared: DeclaredWrite): readonly [string, WriteEntry] | undefined {
  const { table, operation, columns, filter, check, presets, backendOnly } = declared;
  const target = access.tables.get(table);
  if (target === undefined) return undefined;
  const field = (column: string) => target.fields.get(column) ?? column;
  const text = (condition: Filter) => words(access, table, condition);
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

/** An object without its empty lists and objects, which the file omits. */
const filled = (object: object) =>
  Object.fromEntries(
    Object.entries(object).filter(([, value]) => typeof value !== "object" || Object.keys(value as object).length > 0),
  );

const eachFilled = (objects: Readonly<Record<string, object>>) =>
  Object.fromEntries(Object.entries(objects).map(([name, object]) => [name, filled(object)]));

const lean = ({ roles }: Expectations) => ({
  roles: Object.fromEntries(
    Object.entries(roles).map(([name, { reads, writes, calls }]) => [
      name,
      filled({ reads: eachFilled(reads), writes: eachFilled(writes), calls }),
    ]),
  ),
});

export function printExpectations(expected: Expectations | ExpectationsBySource): string {
  const content =
    "roles" in expected
      ? lean(expected)
      : { sources: Object.fromEntries(Object.entries(expected.sources).map(([name, each]) => [name, lean(each)])) };
  return `# What each role may do. Written by \`npx hasura-checks permissions --update-expectations\`; Review every change of this file.\n${stringify(content, { lineWidth: 120, flowCollectionPadding: false })}`;
}

/** @throws UsageError */
export function readExpectations(text: string, file: string): Expectations | ExpectationsBySource {
  const content = yamlOf(text, file);
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

interface Granted extends Omit<Surprise, "role" | "reason"> {
  /** Content of a new grant. */
  readonly detail?: string;
  /** The grant that contains this one. */
  readonly within?: string;
  /** A text that can differ. */
  readonly value?: string;
  /** Its text where it is missing. */
  readonly otherwise?: string;
}

/** Each grant of a role by its words, such as `read note.title`. */
function grantsOf({ reads, writes, calls }: Expectations["roles"][string]): ReadonlyMap<string, Granted> {
  return new Map<string, Granted>([
    ...Object.entries(reads).flatMap(([table, entry]): [string, Granted][] => {
      const within = `read ${table}`;
      const part = (words: string, more: Granted): [string, Granted] => [words, { table, within, ...more }];
      return [
        [within, { table, detail: `: ${entry.columns.join(", ") || "no column"} (rows: ${entry.rows})` }],
        ...entry.columns.map((name) => part(`read ${table}.${name}`, { name })),
        ...entry.operations.map((operation) => part(`query ${table} by ${operation}`, {})),
        ...entry["goes on to"].map((name) => part(`follow ${table}.${name}`, { name })),
        part(`read rows of ${table}`, { value: entry.rows }),
        part(`read at once of ${table}`, {
          value: entry.limit === "none" ? "any number of rows" : `at most ${entry.limit} rows`,
        }),
        ...Object.entries(entry["only where"]).map(([name, value]) =>
          part(`read ${table}.${name} only where`, { name, value, otherwise: "the row is served" }),
        ),
      ];
    }),
    ...Object.entries(writes).map(([what, entry]): [string, Granted] => {
      const text = writeText(entry);
      return [what, { table: what.split(" ")[1] ?? what, detail: ` (${text})`, value: text }];
    }),
    ...calls.map((name): [string, Granted] => [`call ${name}`, { name }]),
  ]);
}

export function compareExpectations(expected: Expectations, found: Expectations): readonly Surprise[] {
  const names = [...new Set([...Object.keys(expected.roles), ...Object.keys(found.roles)])].toSorted();
  return names.flatMap((role): readonly Surprise[] => {
    const none = { reads: {}, writes: {}, calls: [] };
    const [before, now] = [expected, found].map(({ roles }) => grantsOf(roles[role] ?? none)) as [Grants, Grants];
    const changed = [...new Set([...before.keys(), ...now.keys()])].flatMap((words): readonly Surprise[] => {
      const [old, current] = [before.get(words), now.get(words)];
      const { detail: _detail, within, value: _value, otherwise, ...place } = current ?? old ?? {};
      if (within !== undefined && !(before.has(within) && now.has(within))) return [];
      const say = (reason: string): readonly Surprise[] => [{ role, ...place, reason: `role ${role} ${reason}` }];
      const [from, to] = [old?.value ?? otherwise, current?.value ?? otherwise];
      if (from !== undefined && to !== undefined)
        return from === to ? [] : say(`may now ${words}: ${to}; expected: ${from}`);
      if (old === undefined) return say(`can now ${words}${current?.detail ?? ""}`);
      return current === undefined ? say(`can no longer ${words}`) : [];
    });
    return [
      ...(expected.roles[role] === undefined ? [{ role, reason: `there is a new role ${role}` }] : []),
      ...(found.roles[role] === undefined ? [{ role, reason: `the role ${role} is gone` }] : []),
      ...changed,
    ];
  });
}

type Grants = ReturnType<typeof grantsOf>;
