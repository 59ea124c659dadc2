import { isDeepStrictEqual } from "node:util";
import type { MergedPath } from "@routeql/metadata/read/load";
import { functionsOf, grantsOf, listed, type PlacedGrant, tablesOf, verbOf, type Walked } from "../metadata/walk.ts";
import type { Fields } from "../metadata/conditions.ts";
import { type AccessChange, type Direction, eachChange } from "./change.ts";
import { changesElsewhere } from "./changes-elsewhere.ts";
import { type Formula, formulaOf, rowsAt } from "./formula.ts";
import { changedParts, formulaWords } from "./formula-words.ts";
import { orderOf } from "./implication.ts";

type Placed = { readonly source: string };

/** Identifies tables and functions by their source too, unless there is only one source, which can have another name. */
function sourceIn(before: Walked, after: Walked): (placed: Placed) => string {
  const isOne = before.metadata.sources.length === 1 && after.metadata.sources.length === 1;
  return ({ source }) => (isOne ? "" : source);
}

/** All changes of permissions, wider ones first in each place. */
export function accessChanges(before: Walked, after: Walked): readonly AccessChange[] {
  return [
    ...granting(before, after),
    ...calling(before, after),
    ...asking(before, after),
    ...inheriting(before, after),
    ...introspecting(before, after),
    ...changesElsewhere(before, after),
  ];
}

type Kind = PlacedGrant["kind"];

export const verbs = {
  select_permissions: "read",
  insert_permissions: "insert into",
  update_permissions: "update",
  delete_permissions: "delete from",
} as const satisfies Readonly<Record<Kind, string>>;

function granting(before: Walked, after: Walked): readonly AccessChange[] {
  const sourceOf = sourceIn(before, after);
  const idOf = (grant: PlacedGrant) => `${sourceOf(grant)}\n${grant.role}\n${grant.key}\n${grant.kind}`;
  const earlier = new Map(grantsOf(before).map((grant) => [idOf(grant), grant]));
  const later = grantsOf(after);
  const changes = later.flatMap((grant): AccessChange[] => {
    const { key, role, kind, permission, at } = grant;
    const old = earlier.get(idOf(grant));
    const place = { table: key, role };
    if (old === undefined) {
      const columns = columnsOf(permission, kind);
      const what = kind === "select_permissions" ? ` (${columns === "*" ? "all columns" : listed(columns)})` : "";
      return [{ ...place, at, direction: "wider", reason: `${role} can now ${verbs[kind]} ${key}${what}` }];
    }
    const formula = (of: PlacedGrant, revision: Walked, part: string) =>
      formulaOf(of.permission[part] ?? {}, rowsAt(revision, of.path));
    const pair: Pair = {
      role,
      key,
      kind,
      old: old.permission,
      now: permission,
      formulas: (part) => [formula(old, before, part), formula(grant, after, part)],
    };
    return parts
      .flatMap((compare) => compare(pair))
      .map(({ part, ...change }) => ({ ...place, ...change, at: [...at, part] }));
  });
  const known = new Set(later.map(idOf));
  const gone = [...earlier.values()].filter((grant) => !known.has(idOf(grant)));
  return [
    ...changes,
    ...gone.map(({ source, key, role, kind }): AccessChange => ({
      at: pathOfTable(after, sourceOf, source, key),
      table: key,
      role,
      direction: "narrower",
      reason: `${role} can no longer ${verbs[kind]} ${key}`,
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

/** Two permissions of one role on one table. */
interface Pair {
  readonly role: string;
  readonly key: string;
  readonly kind: Kind;
  readonly old: Fields;
  readonly now: Fields;
  readonly formulas: (part: string) => readonly [old: Formula, now: Formula];
}

/** A change in one key of a permission. */
interface Compared extends Pick<AccessChange, "direction" | "reason"> {
  readonly part: string;
}

const can = (direction: Direction) => (direction === "wider" ? "can now" : "can no longer");

const parts: readonly ((pair: Pair) => readonly Compared[])[] = [columns, presets, rows, limits, switches, roots];

const namesIn = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);
const presetsOf = ({ set }: Fields): Fields => (set ?? {}) as Fields;

/** The columns of a permission; for a write permission, those that the client sets. */
function columnsOf(permission: Fields, kind: Kind): "*" | readonly string[] {
  const { columns } = permission;
  // Hasura permits all columns of an insert permission without the key.
  if (columns === "*" || (columns === undefined && kind === "insert_permissions")) return "*";
  const set = presetsOf(permission);
  return namesIn(columns).filter((column) => !(column in set));
}

function columns({ old, now, role, key, kind }: Pair): readonly Compared[] {
  const isRead = kind === "select_permissions";
  const verb = isRead ? "read" : "set";
  const end = isRead ? "" : ` by ${verbOf(kind)}`;
  const changes = (part: string, before: readonly string[], after: readonly string[]) =>
    [
      ...Map.groupBy(
        eachChange(before, after, (name, direction) => ({ name, direction })),
        (each) => each.direction,
      ),
    ].map(([direction, found]): Compared => {
      const names = found.map(({ name }) => name);
      const what = names.length === 1 ? `${key}.${names.join("")}` : `${listed(names)} of ${key}`;
      return { part, direction, reason: `${role} ${can(direction)} ${verb} ${what}${end}` };
    });
  const computed = changes("computed_fields", namesIn(old["computed_fields"]), namesIn(now["computed_fields"]));
  const [before, after] = [columnsOf(old, kind), columnsOf(now, kind)];
  if (before === "*" && after === "*")
    return [...changes("set", Object.keys(presetsOf(now)), Object.keys(presetsOf(old))), ...computed];
  if (before !== "*" && after !== "*") return [...changes("columns", before, after), ...computed];
  const [direction, list]: [Direction, "*" | readonly string[]] =
    before === "*" ? ["narrower", after] : ["wider", before];
  const only = listed(list as readonly string[]) || "no column";
  const reason =
    direction === "narrower"
      ? `${role} can ${verb} only ${only} of ${key}${end}, no longer all columns`
      : `${role} can now ${verb} all columns of ${key}${end}, not only ${only}`;
  return [{ part: "columns", direction, reason }, ...computed];
}

/** Values that Hasura sets. A preset of a column that the client could set is a change of the columns. */
function presets({ old, now, role, key, kind }: Pair): readonly Compared[] {
  const [before, after] = [presetsOf(old), presetsOf(now)];
  const text = (value: unknown) => JSON.stringify(value).replaceAll(/x-hasura-[\w-]+/gi, (name) => name.toLowerCase());
  const isSettable = (permission: Fields, column: string) => {
    const settable = columnsOf(permission, kind);
    return settable === "*" || settable.includes(column);
  };
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((column): Compared[] => {
    const [from, to] = [before[column], after[column]].map((value) => (value === undefined ? undefined : text(value)));
    if (from === to) return [];
    const what = `of ${key}.${column} for ${role}`;
    if (from === undefined)
      return isSettable(old, column)
        ? []
        : [{ part: "set", direction: "narrower", reason: `the value ${what} is now always ${to ?? ""}` }];
    if (to === undefined)
      return isSettable(now, column)
        ? []
        : [{ part: "set", direction: "changed", reason: `the value ${what} is no longer ${from}, but the default` }];
    return [{ part: "set", direction: "changed", reason: `the value ${what} is ${to}, and was ${from}` }];
  });
}

const directions = { wider: "wider", other: "wider", narrower: "narrower", unknown: "changed" } as const;
const amounts = { wider: "more", other: "other", narrower: "fewer", unknown: "other" } as const;

/** Changes of the filter and of the check. */
function rows({ role, key, kind, formulas }: Pair): readonly Compared[] {
  return ["filter", "check"].flatMap((part): Compared[] => {
    const [old, now] = formulas(part);
    const order = orderOf(old, now);
    if (order === "same") return [];
    const direction = directions[order];
    const who = part === "check" ? `the check of ${role} accepts` : `${role} may ${verbs[kind].replace(" from", "")}`;
    const where = part === "check" ? `to ${verbs[kind]} ${key}` : `of ${key}`;
    const isOpen = now.kind === "and" && now.items.length === 0;
    const reason = isOpen
      ? `${who} every row ${where} now; the ${part} was \`${formulaWords(old)}\``
      : `${who} ${amounts[order]} rows ${where}: ${changedParts(old, now)}`;
    return [{ part, direction, reason }];
  });
}

function limits({ old, now, role, key }: Pair): readonly Compared[] {
  const [before, after] = [old, now].map(({ limit }) => (typeof limit === "number" ? limit : Number.POSITIVE_INFINITY));
  if (before === undefined || after === undefined || before === after) return [];
  const said = (limit: number) => (Number.isFinite(limit) ? `at most ${limit} rows` : "any number of rows");
  const reason = `${role} gets ${said(after)} of ${key} at once, and got ${said(before)}`;
  return [{ part: "limit", direction: after > before ? "wider" : "narrower", reason }];
}

/** Keys that are true or absent, with their meaning. */
function switches({ old, now, role, key, kind }: Pair): readonly Compared[] {
  const verb = verbs[kind];
  const change = (part: string, widens: boolean, on: string, off: string): readonly Compared[] => {
    const [before, after] = [old, now].map((permission) => Boolean(permission[part]));
    if (before === after) return [];
    return [{ part, direction: after === widens ? "wider" : "narrower", reason: after === true ? on : off }];
  };
  const backend = "only through a backend with the admin secret";
  const validated = `the webhook that validates what ${role} may ${verb} ${key}`;
  return [
    ...change("allow_aggregations", true, `${role} can now aggregate ${key}`, `${role} can no longer aggregate ${key}`),
    ...change(
      "backend_only",
      false,
      `${role} may ${verb} ${key} ${backend}`,
      `${role} may ${verb} ${key}, no longer ${backend}`,
    ),
    ...change("validate_input", false, `${validated} is new`, `${validated} is gone`),
  ];
}

function roots({ old, now, role, key, kind }: Pair): readonly Compared[] {
  if (kind !== "select_permissions") return [];
  const all = {
    query_root_fields: ["select", "select_by_pk", "select_aggregate"],
    subscription_root_fields: ["select", "select_by_pk", "select_aggregate", "select_stream"],
  } as const;
  return (["query_root_fields", "subscription_root_fields"] as const).flatMap((part) => {
    const verb = part === "query_root_fields" ? "query" : "subscribe to";
    const fieldsOf = (permission: Fields) => (Array.isArray(permission[part]) ? namesIn(permission[part]) : all[part]);
    return eachChange(fieldsOf(old), fieldsOf(now), (field, direction) => ({
      part,
      direction,
      reason: `${role} ${can(direction)} ${verb} ${key} by ${field}`,
    }));
  });
}

function calling(before: Walked, after: Walked): readonly AccessChange[] {
  const sourceOf = sourceIn(before, after);
  const idOf = (called: Placed & { readonly key: string }) => `${sourceOf(called)}\n${called.key}`;
  const earlier = new Map(functionsOf(before).map((called) => [idOf(called), called.entry]));
  const later = new Set(functionsOf(after).map(idOf));
  const gone = functionsOf(before).filter((called) => !later.has(idOf(called)));
  const changes = functionsOf(after).flatMap((called): AccessChange[] => {
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
  const reason = (key: string) => `the function ${key} is no longer served`;
  return [
    ...changes,
    ...gone.map(({ key }): AccessChange => ({
      at: ["sources"],
      name: key,
      direction: "narrower",
      reason: reason(key),
    })),
  ];
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
  const setsOf = ({ metadata }: Walked) =>
    new Map(metadata.inherited_roles.map(({ role_name: role, role_set: set }) => [role, set]));
  const [earlier, later] = [setsOf(before), setsOf(after)];
  return [...new Set([...later.keys(), ...earlier.keys()])].flatMap((role, index): AccessChange[] => {
    const at = later.has(role) ? ["inherited_roles", index] : ["inherited_roles"];
    return eachChange(earlier.get(role) ?? [], later.get(role) ?? [], (name, direction) => {
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
