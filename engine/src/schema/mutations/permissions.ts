import type { MergedPath } from "@routeql/metadata/read/load";
import { FilterReader, parameterOfMetadata, unknownValue } from "../filters.ts";
import type { Report, TableColumn, TrackedTable } from "../../model.ts";
import type { ResolvedSource } from "../resolve.ts";
import { UnfitValue } from "../json-values.ts";
import { always, type Condition, type Parameter } from "../../sql/expression.ts";
import { inputType } from "../../sql/operators.ts";

/** A column whose value comes from the metadata, not from the client. */
export interface Preset {
  readonly column: TableColumn;
  readonly parameter: Parameter;
}

interface Permission {
  /** Whether only requests with the admin secret and `x-hasura-use-backend-only-permissions` may use it. */
  readonly backendOnly: boolean;
  /** Equal for permissions of the same meaning. */
  readonly text: string;
}

interface ColumnPermission extends Permission {
  /** Columns that the client may set. */
  readonly columns: readonly TableColumn[];
  readonly presets: readonly Preset[];
}

export interface InsertPermission extends ColumnPermission {
  readonly check: Condition;
}

export interface UpdatePermission extends ColumnPermission {
  readonly filter: Condition;
  readonly check: Condition | undefined;
}

export interface DeletePermission extends Permission {
  readonly filter: Condition;
}

export interface TableWrites {
  readonly insert: InsertPermission | undefined;
  readonly update: UpdatePermission | undefined;
  readonly delete: DeletePermission | undefined;
}

/** By the key of the table. */
export type RoleWrites = ReadonlyMap<string, TableWrites>;

const lists = new Set(["_and", "_or", "$and", "$or"]);

/** Text of a JSON value in which the order of keys, and of the items of `_and` and `_or`, does not matter. */
function canonical(value: unknown, key = ""): string {
  if (Array.isArray(value)) {
    const items = value.map((item) => canonical(item));
    return `[${(lists.has(key) ? items.sort() : items).join(",")}]`;
  }
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}:${canonical(item, name)}`);
  return `{${entries.sort().join(",")}}`;
}

export function adminWrites(table: TrackedTable): TableWrites {
  const common = { backendOnly: false, text: "", columns: writable(table), presets: [] };
  return {
    insert: { ...common, check: always },
    update: { ...common, filter: always, check: undefined },
    delete: { ...common, filter: always },
  };
}

function writable(table: TrackedTable): readonly TableColumn[] {
  return [...table.columns.values()].filter(({ name }) => table.catalog.columns.get(name)?.isGenerated === false);
}

type Fault = (path: MergedPath, reason: string) => void;

interface WrittenPermission {
  readonly columns?: "*" | readonly string[];
  readonly set?: Readonly<Record<string, unknown>>;
  readonly filter?: unknown;
  readonly check?: unknown;
  readonly backend_only: boolean;
}

class PermissionReader {
  readonly #table: TrackedTable;
  readonly #filters: FilterReader;
  readonly #fault: Fault;

  constructor(table: TrackedTable, source: ResolvedSource, fault: Fault) {
    this.#table = table;
    this.#fault = fault;
    this.#filters = new FilterReader({ tables: source.tables, report: fault, root: table });
  }

  condition(filter: unknown, path: MergedPath): Condition {
    return this.#filters.read(filter, this.#table, path);
  }

  columns(permission: WrittenPermission, path: MergedPath): ColumnPermission {
    const presets = Object.entries(permission.set ?? {}).flatMap(([name, value]) =>
      this.#preset(name, value, [...path, "set", name]),
    );
    const preset = new Set(presets.map(({ column }) => column.name));
    const named = permission.columns ?? "*";
    const columns = named === "*" ? writable(this.#table) : this.#named(named, [...path, "columns"]);
    return {
      backendOnly: permission.backend_only,
      columns: columns.filter(({ name }) => !preset.has(name)),
      presets,
      text: "",
    };
  }

  #named(names: readonly string[], path: MergedPath): readonly TableColumn[] {
    const { columns, catalog, key } = this.#table;
    for (const [index, name] of names.entries()) {
      const column = catalog.columns.get(name);
      if (column === undefined) this.#fault([...path, index], `${key} has no column ${name}`);
      else if (column.isGenerated)
        this.#fault([...path, index], `Postgres alone sets the column ${name}; remove it from the permission`);
    }
    return [...columns.values()].filter(({ name }) => names.includes(name));
  }

  #preset(name: string, value: unknown, path: MergedPath): readonly Preset[] {
    const column = this.#table.columns.get(name);
    if (column === undefined) {
      this.#fault(path, `column "${name}" not found in table "${this.#table.catalog.name}"`);
      return [];
    }
    const unknown = column.enumeration === undefined ? undefined : unknownValue(value, column.enumeration);
    if (unknown !== undefined) {
      this.#fault(path, unknown);
      return [];
    }
    try {
      return [{ column, parameter: parameterOfMetadata(value, column.type, inputType(column.type)) }];
    } catch (error) {
      if (!(error instanceof UnfitValue)) throw error;
      this.#fault(path, error.message);
      return [];
    }
  }
}

const kinds = ["insert", "update", "delete"] as const;

/** Every role's own write permissions by the key of the table; an invalid permission grants nothing. */
export function readOwnWrites(source: ResolvedSource, report: Report): ReadonlyMap<string, Map<string, TableWrites>> {
  const roles = new Map<string, Map<string, TableWrites>>();
  for (const table of source.tables.values()) {
    for (const kind of kinds) {
      for (const [index, { role, permission }] of table.metadata[`${kind}_permissions`].entries()) {
        const place = [...table.path, `${kind}_permissions`, index];
        let sound = true;
        const fault: Fault = (path, reason) => {
          sound = false;
          report(path, `${kind}_permission`, `${role} on ${table.key}`, reason);
        };
        const tables = roles.get(role) ?? new Map<string, TableWrites>();
        roles.set(role, tables);
        const writes = tables.get(table.key) ?? { insert: undefined, update: undefined, delete: undefined };
        if (role === "admin")
          fault([...place, "role"], "the role admin has access to everything; remove its permission");
        else if (writes[kind] !== undefined)
          fault([...place, "role"], `the role ${role} has two ${kind} permissions on ${table.key}`);
        const read = readPermission(kind, permission, new PermissionReader(table, source, fault), [
          ...place,
          "permission",
        ]);
        if (sound) tables.set(table.key, { ...writes, [kind]: read });
      }
    }
  }
  return roles;
}

function readPermission(
  kind: (typeof kinds)[number],
  permission: WrittenPermission,
  reader: PermissionReader,
  path: MergedPath,
): Permission {
  const { filter = {}, check, backend_only: backendOnly, set } = permission;
  const own = reader.columns(permission, path);
  const names = own.columns.map(({ name }) => name).sort();
  const text = canonical(kind === "delete" ? { filter, backendOnly } : { filter, check, backendOnly, set, names });
  if (kind === "delete")
    return { backendOnly, text, filter: reader.condition(filter, [...path, "filter"]) } as DeletePermission;
  const checked = check === null || check === undefined ? undefined : reader.condition(check, [...path, "check"]);
  if (kind === "insert") return { ...own, text, check: checked ?? always } as InsertPermission;
  return { ...own, text, filter: reader.condition(filter, [...path, "filter"]), check: checked } as UpdatePermission;
}

/** Hasura's rule for inherited roles: a role gets a write permission only if all parents with one have the same. */
export function inheritedWrites(
  own: TableWrites | undefined,
  parents: readonly TableWrites[],
): TableWrites | undefined {
  const inherit = <Kind extends (typeof kinds)[number]>(kind: Kind): TableWrites[Kind] => {
    if (own?.[kind] !== undefined) return own[kind];
    const [first, ...others] = parents.flatMap((parent) => parent[kind] ?? []);
    return others.every((other) => other.text === first?.text) ? first : undefined;
  };
  if (own === undefined && parents.length === 0) return undefined;
  return { insert: inherit("insert"), update: inherit("update"), delete: inherit("delete") };
}
