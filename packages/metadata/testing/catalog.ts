import type { CatalogAnswer } from "../catalog/query.ts";

/** Columns as `name: "type"` or `"type not null"`; arrays as `_type`. */
export interface TableSketch {
  readonly columns: Readonly<Record<string, string>>;
  readonly primaryKey?: readonly string[];
  /** Columns, and the table and columns that they reference. */
  readonly references?: readonly {
    readonly columns: readonly string[];
    readonly table: string;
    readonly targetColumns: readonly string[];
  }[];
  readonly unique?: readonly (readonly string[])[];
}

export interface FunctionSketch {
  readonly arguments: readonly { readonly name: string | null; readonly type: string }[];
  readonly defaults?: number;
  /** The name of a table for SETOF rows, otherwise of a type. */
  readonly returns: { readonly table: string; readonly set?: boolean } | { readonly type: string };
  readonly volatility?: "i" | "s" | "v";
}

const sqlNames: Readonly<Record<string, string>> = {
  int4: "integer",
  int8: "bigint",
  bool: "boolean",
  float8: "double precision",
  timestamp: "timestamp without time zone",
  varchar: "character varying",
};

/** The result of the catalogue query for these tables and functions of schema public, and for the named types. */
export function catalogAnswer(
  tables: Readonly<Record<string, TableSketch>>,
  functions: Readonly<Record<string, FunctionSketch>> = {},
  named: readonly string[] = [],
): string {
  const oids = new Map<string, number>();
  const oid = (name: string): number => {
    if (name.startsWith("_")) oid(name.slice(1));
    const known = oids.get(name) ?? oids.size + 1;
    oids.set(name, known);
    return known;
  };
  const answeredTables = Object.entries(tables).map(([name, sketch]) => ({
    schema: "public",
    name,
    kind: "r" as const,
    comment: null,
    columns: Object.entries(sketch.columns).map(([column, described]) => ({
      name: column,
      type: oid(described.replace(" not null", "")),
      nullable: !described.endsWith(" not null"),
      comment: null,
      generated: false,
    })),
    changes: null,
    unique: [
      ...(sketch.primaryKey === undefined ? [] : [{ name: `${name}_pkey`, columns: sketch.primaryKey }]),
      ...(sketch.unique ?? []).map((columns) => ({ name: `${name}_${columns.join("_")}_key`, columns })),
    ],
    keys: [
      ...(sketch.primaryKey === undefined ? [] : [{ primary: true, columns: sketch.primaryKey }]),
      ...(sketch.unique ?? []).map((columns) => ({ primary: false, columns })),
    ],
    foreign_keys: (sketch.references ?? []).map(({ columns, table, targetColumns }) => ({
      name: `${name}_${columns.join("_")}_fkey`,
      columns,
      target: { schema: "public", name: table },
      target_columns: targetColumns,
    })),
  }));
  const answeredFunctions = Object.entries(functions).map(([name, sketch]) => ({
    schema: "public",
    name,
    volatility: sketch.volatility ?? ("s" as const),
    comment: null,
    arguments: sketch.arguments.map((argument) => ({ name: argument.name, type: oid(argument.type) })),
    defaults: sketch.defaults ?? 0,
    returns_set: "set" in sketch.returns && sketch.returns.set !== false,
    return_type: oid("table" in sketch.returns ? sketch.returns.table : sketch.returns.type),
    return_table: "table" in sketch.returns ? { schema: "public", name: sketch.returns.table } : null,
    variadic: false,
  }));
  const namedTypes = Object.fromEntries(named.map((name) => [name, oid(name)]));
  const types = Object.fromEntries(
    [...oids].map(([name, id]) => {
      const isArray = name.startsWith("_");
      const plain = isArray ? name.slice(1) : name;
      const sql = (sqlNames[plain] ?? plain) + (isArray ? "[]" : "");
      return [
        String(id),
        {
          name,
          sql,
          kind: Object.hasOwn(tables, name) ? ("c" as const) : ("b" as const),
          element: isArray ? (oids.get(plain) ?? null) : null,
        },
      ];
    }),
  );
  return JSON.stringify({
    tables: answeredTables,
    functions: answeredFunctions,
    named_types: namedTypes,
    types,
  } satisfies CatalogAnswer);
}
