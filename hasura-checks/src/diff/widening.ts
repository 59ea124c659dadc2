/**
 * Differences of permissions between two revisions of metadata.
 * @module
 */
import { isDeepStrictEqual } from "node:util";
import type { MergedPath } from "@routeql/metadata/read/load";
import type { SelectPermissionMetadata } from "@routeql/metadata/read/shape";
import type { Place } from "../findings/finding.ts";
import { functionsOf, listed, permissionsOf, tablesOf, type Walked, writesOf } from "../rules/rule.ts";
import { isSame } from "./normal-form.ts";

export interface AccessChange extends Place {
  /** Place in the later revision; for a removed object, its nearest parent. */
  readonly at: MergedPath;
  readonly direction: Direction;
  readonly reason: string;
}

type Direction = "wider" | "narrower";
type Select = SelectPermissionMetadata["permission"];

type Placed = { readonly source: string };

/** Identifies tables and functions by their source too, unless there is only one source, which can have another name. */
function sourceIn(before: Walked, after: Walked): (placed: Placed) => string {
  const isOne = before.metadata.sources.length === 1 && after.metadata.sources.length === 1;
  return ({ source }) => (isOne ? "" : source);
}

/** All changes of permissions, wider ones first in each place. */
export function accessChanges(before: Walked, after: Walked): readonly AccessChange[] {
  return [
    ...reading(before, after),
    ...writing(before, after),
    ...calling(before, after),
    ...asking(before, after),
    ...inheriting(before, after),
    ...introspecting(before, after),
  ];
}

function reading(before: Walked, after: Walked): readonly AccessChange[] {
  const sourceOf = sourceIn(before, after);
  const idOf = (entry: Placed & { readonly key: string; readonly role: string }) =>
    `${sourceOf(entry)}\n${entry.role}\n${entry.key}`;
  const earlier = new Map(permissionsOf(before).map((entry) => [idOf(entry), entry]));
  const later = permissionsOf(after);
  const changes = later.flatMap((entry): AccessChange[] => {
    const { key, role, permission, at } = entry;
    const old = earlier.get(idOf(entry));
    const place = { table: key, role };
    if (old === undefined) {
      const columns = permission.columns === "*" ? "all columns" : listed(permission.columns);
      return [{ ...place, at, direction: "wider", reason: `${role} can now read ${key} (${columns})` }];
    }
    return compared(old.permission, permission, role, key).map(({ part, ...change }) => ({
      ...place,
      ...change,
      at: [...at, part],
    }));
  });
  const known = new Set(later.map(idOf));
  const gone = [...earlier.values()].filter((entry) => !known.has(idOf(entry)));
  return [
    ...changes,
    ...gone.map(({ source, key, role }): AccessChange => ({
      at: pathOfTable(after, sourceOf, source, key),
      table: key,
      role,
      direction: "narrower",
      reason: `${role} can no longer read ${key}`,
    })),
  ];
}

function pathOfTable(revision: Walked, sourceOf: (placed: Placed) => string, source: string, key: string): MergedPath {
  return (
    tablesOf(revision).find((table) => table.key === key && sourceOf(table) === sourceOf({ source }))?.path ?? [
      "sources",
    ]
  );
}

/** A change in one key of a select permission. */
interface Compared extends Pick<AccessChange, "direction" | "reason"> {
  readonly part: string;
}

const wider = (part: string, reason: string): Compared => ({ part, direction: "wider", reason });
const narrower = (part: string, reason: string): Compared => ({ part, direction: "narrower", reason });

/** `can now` or `can no longer`. */
const can = (direction: Direction) => (direction === "wider" ? "can now" : "can no longer");

function compared(old: Select, now: Select, role: string, key: string): readonly Compared[] {
  return [columns, rows, limits, aggregations, roots].flatMap((compare) => compare(old, now, role, key));
}

function setChanges(
  old: readonly string[],
  now: readonly string[],
): readonly [added: readonly string[], removed: readonly string[]] {
  return [now.filter((item) => !old.includes(item)), old.filter((item) => !now.includes(item))];
}

/** A change for each name that a list gained or lost. */
function eachChange<Change>(
  old: readonly string[],
  now: readonly string[],
  change: (name: string, direction: Direction) => Change,
): Change[] {
  const [added, removed] = setChanges(old, now);
  return [...added.map((name) => change(name, "wider")), ...removed.map((name) => change(name, "narrower"))];
}

function columns(old: Select, now: Select, role: string, key: string): readonly Compared[] {
  const change = (part: string) => (name: string, direction: Direction) => ({
    part,
    direction,
    reason: `${role} ${can(direction)} read ${key}.${name}`,
  });
  const computed = eachChange(old.computed_fields, now.computed_fields, change("computed_fields"));
  if (old.columns === "*" && now.columns === "*") return computed;
  if (old.columns !== "*" && now.columns !== "*")
    return [...eachChange(old.columns, now.columns, change("columns")), ...computed];
  const whole =
    old.columns === "*"
      ? narrower("columns", `${role} can read only ${listed(now.columns as string[])} of ${key}, no longer all columns`)
      : wider("columns", `${role} can now read all columns of ${key}, not only ${listed(old.columns)}`);
  return [whole, ...computed];
}

/** Whether one filter contains every condition of another literally. */
function holds(filter: Readonly<Record<string, unknown>>, other: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(other).every(([name, value]) => isDeepStrictEqual(filter[name], value));
}

function rows(old: Select, now: Select, role: string, key: string): readonly Compared[] {
  if (isDeepStrictEqual(old.filter, now.filter)) return [];
  const text = (filter: unknown) => JSON.stringify(filter);
  const became = `the filter ${text(old.filter)} became ${text(now.filter)}`;
  if (holds(now.filter, old.filter)) return [narrower("filter", `${role} reads fewer rows of ${key}: ${became}`)];
  if (Object.keys(now.filter).length === 0)
    return [wider("filter", `${role} can now read every row of ${key}; the filter was ${text(old.filter)}`)];
  const how = holds(old.filter, now.filter) ? "reads more rows of" : "may read other rows of";
  return [wider("filter", `${role} ${how} ${key}: ${became}`)];
}

function limits(old: Select, now: Select, role: string, key: string): readonly Compared[] {
  const [before, after] = [old.limit ?? Number.POSITIVE_INFINITY, now.limit ?? Number.POSITIVE_INFINITY];
  if (before === after) return [];
  const said = (limit: number) => (Number.isFinite(limit) ? `at most ${limit} rows` : "any number of rows");
  const reason = `${role} gets ${said(after)} of ${key} at once, and got ${said(before)}`;
  return [after > before ? wider("limit", reason) : narrower("limit", reason)];
}

function aggregations(old: Select, now: Select, role: string, key: string): readonly Compared[] {
  if (old.allow_aggregations === now.allow_aggregations) return [];
  const direction = now.allow_aggregations ? "wider" : "narrower";
  return [{ part: "allow_aggregations", direction, reason: `${role} ${can(direction)} aggregate ${key}` }];
}

function roots(old: Select, now: Select, role: string, key: string): readonly Compared[] {
  const all = {
    query_root_fields: ["select", "select_by_pk", "select_aggregate"],
    subscription_root_fields: ["select", "select_by_pk", "select_aggregate", "select_stream"],
  } as const;
  return (["query_root_fields", "subscription_root_fields"] as const).flatMap((part) => {
    const kind = part === "query_root_fields" ? "query" : "subscribe to";
    return eachChange(old[part] ?? all[part], now[part] ?? all[part], (field, direction) => ({
      part,
      direction,
      reason: `${role} ${can(direction)} ${kind} ${key} by ${field}`,
    }));
  });
}

export const writingVerbs = {
  insert_permissions: "insert into",
  update_permissions: "update",
  delete_permissions: "delete from",
} as const;

const isList = (columns: unknown): columns is readonly string[] => Array.isArray(columns);

function writing(before: Walked, after: Walked): readonly AccessChange[] {
  const sourceOf = sourceIn(before, after);
  const entries = (revision: Walked) =>
    writesOf(revision).map(({ source, kind, role, key, permission, at }) => ({
      id: `${kind}\n${role}\n${sourceOf({ source })}\n${key}`,
      source,
      kind,
      role,
      table: key,
      permission,
      at: at.slice(0, -1),
    }));
  const earlier = new Map(entries(before).map((entry) => [entry.id, entry]));
  const later = entries(after);
  const changes = later.flatMap(({ id, kind, role, table, permission, at }): AccessChange[] => {
    const old = earlier.get(id);
    if (old === undefined)
      return [{ at, role, table, direction: "wider", reason: `${role} can now ${writingVerbs[kind]} ${table}` }];
    if (isSame(old.permission, permission)) return [];
    const { columns: before, ...rest } = old.permission;
    const { columns: after, ...others } = permission;
    const place = { role, table };
    if (!isSame(rest, others) || !isList(before) || !isList(after)) {
      const became = `${JSON.stringify(old.permission)} became ${JSON.stringify(permission)}`;
      const reason = `what ${role} may ${writingVerbs[kind]} ${table} has changed: ${became}`;
      return [{ ...place, at, direction: "wider", reason }];
    }
    const change = (names: readonly string[], direction: Direction): AccessChange[] => {
      const reason = `${role} ${can(direction)} set ${listed(names)} of ${table} by ${kind.replace("_permissions", "")}`;
      return names.length === 0 ? [] : [{ ...place, at: [...at, "permission", "columns"], direction, reason }];
    };
    const [added, removed] = setChanges(before, after);
    return [...change(added, "wider"), ...change(removed, "narrower")];
  });
  const known = new Set(later.map(({ id }) => id));
  const gone = [...earlier.values()].filter(({ id }) => !known.has(id));
  return [
    ...changes,
    ...gone.map(({ source, kind, role, table }): AccessChange => ({
      at: pathOfTable(after, sourceOf, source, table),
      role,
      table,
      direction: "narrower",
      reason: `${role} can no longer ${writingVerbs[kind]} ${table}`,
    })),
  ];
}

function calling(before: Walked, after: Walked): readonly AccessChange[] {
  const sourceOf = sourceIn(before, after);
  const idOf = (called: Placed & { readonly key: string }) => `${sourceOf(called)}\n${called.key}`;
  const earlier = new Map(functionsOf(before).map((called) => [idOf(called), called.entry]));
  return functionsOf(after).flatMap((called): AccessChange[] => {
    const { key, entry, path } = called;
    const old = earlier.get(idOf(called));
    if (old === undefined)
      return [{ at: path, name: key, direction: "wider", reason: `the function ${key} is served now` }];
    const rolesOf = ({ permissions }: typeof entry) => permissions.map(({ role }) => role);
    return eachChange(rolesOf(old), rolesOf(entry), (role, direction): AccessChange => {
      const place = { name: key, role, direction };
      return direction === "wider"
        ? { ...place, at: [...path, "permissions"], reason: `${role} is permitted the function ${key} now` }
        : { ...place, at: path, reason: `${role} is no longer permitted the function ${key}` };
    });
  });
}

/** Changes of native queries. Roles with a permission on the logical model receive the rows of the SQL. */
function asking(before: Walked, after: Walked): readonly AccessChange[] {
  const sourceOf = sourceIn(before, after);
  const queriesOf = ({ metadata }: Walked) =>
    metadata.sources.flatMap(({ name: source, native_queries: queries }, index) =>
      queries.map(({ root_field_name: name, code, arguments: given, returns }, position) => ({
        id: `${sourceOf({ source })}\n${name}`,
        name,
        code,
        given,
        model: typeof returns === "string" ? returns : name,
        path: ["sources", index, "native_queries", position],
      })),
    );
  const earlier = new Map(queriesOf(before).map((query) => [query.id, query]));
  return queriesOf(after).flatMap(({ id, name, code, given, model, path }): AccessChange[] => {
    const old = earlier.get(id);
    if (old === undefined)
      return [{ at: path, name, direction: "wider", reason: `the native query ${name} is served now` }];
    if (old.code === code && old.model === model && isDeepStrictEqual(old.given, given)) return [];
    const reason = `the native query ${name} gives other rows: its code, its arguments or its logical model changed`;
    return [{ at: [...path, "code"], name, direction: "wider", reason }];
  });
}

function inheriting(before: Walked, after: Walked): readonly AccessChange[] {
  const earlier = new Map(before.metadata.inherited_roles.map(({ role_name: role, role_set: parts }) => [role, parts]));
  return after.metadata.inherited_roles.flatMap(({ role_name: role, role_set: parts }, index): AccessChange[] => {
    const at = ["inherited_roles", index];
    return eachChange(earlier.get(role) ?? [], parts, (name, direction) => {
      const reason = direction === "wider" ? `inherits from ${name} now` : `no longer inherits from ${name}`;
      return { at, role, name, direction, reason: `${role} ${reason}` };
    });
  });
}

function introspecting(before: Walked, after: Walked): readonly AccessChange[] {
  const disabled = ({ metadata }: Walked) => metadata.graphql_schema_introspection.disabled_for_roles;
  const at = ["graphql_schema_introspection"];
  // A role that left the list of disabled roles gained access.
  return eachChange(disabled(after), disabled(before), (role, direction) => {
    const reason = direction === "wider" ? "can introspect its schema now" : "can no longer introspect its schema";
    return { at, role, direction, reason: `${role} ${reason}` };
  });
}
