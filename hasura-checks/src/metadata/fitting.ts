import type { Catalog, CatalogTable, DatabaseType } from "@routeql/metadata/catalog/catalog";
import { keyOf } from "../declared/tables.ts";
import type { MergedPath } from "@routeql/metadata/read/load";
import type { Inconsistency } from "@routeql/metadata/read/problems";
import type { SourceMetadata } from "@routeql/metadata/read/shape";
import { validateMetadata } from "@routeql/metadata/read/validate";
import { type ReadOnlyDatabase, stateOn } from "./database.ts";
import { withoutObjects } from "./loaded-metadata.ts";
import { examinable, type ReadProject } from "./project.ts";

export interface Fitted {
  /** The metadata without the objects in `left`. */
  readonly project: ReadProject;
  /** Objects that do not fit the database, and those that are not examined, with the reasons. */
  readonly left: readonly Inconsistency[];
}

/** An object that is removed can be needed by another one, which is then removed in the next round. */
const mostRounds = 10;

/** Removes the objects of one source that do not fit its database, as Hasura does. */
export async function fitted(
  project: ReadProject,
  database: Pick<ReadOnlyDatabase, "text" | "catalog">,
  inferFunctionPermissions: boolean,
): Promise<Fitted> {
  const left: Inconsistency[] = [];
  let rest = project;
  for (let round = 0; round < mostRounds; round += 1) {
    const state = await stateOn(() => database, rest, inferFunctionPermissions);
    const unfit = [
      ...state.inconsistencies.filter(({ type }) => type !== "metadata"),
      ...(await unjoinable(rest, database)),
    ];
    if (unfit.length === 0) return { project: rest, left };
    left.push(...unfit);
    const loaded = withoutObjects(
      rest.loaded,
      unfit.map(({ at }) => at),
    );
    const { metadata, problems } = validateMetadata(loaded, { allowUnsupported: true });
    const { positionOf } = rest;
    rest = examinable(
      { ...rest, loaded, metadata, problems, position: (path) => positionOf(loaded.locate(path)) },
      "that fits the database",
    );
  }
  return { project: rest, left };
}

/** Hasura accepts these relationships, and every query that uses one fails. */
async function unjoinable(
  { loaded, metadata: { sources } }: ReadProject,
  database: Pick<ReadOnlyDatabase, "catalog">,
): Promise<readonly Inconsistency[]> {
  const [source] = sources;
  if (source === undefined) return [];
  return unjoinableRelationships(source, await database.catalog(source), ["sources", 0]).map(
    ({ at, table, name, reason }) => ({
      ...loaded.locate(at),
      at,
      kind: "inconsistent",
      type: "relationship",
      name: `${table}.${name}`,
      reason,
      definition: null,
    }),
  );
}

/** Groups of types. Postgres has the operator `=` only between types of the same group. */
const groups: readonly ReadonlySet<string>[] = [
  new Set(["int2", "int4", "int8", "numeric", "float4", "float8", "oid"]),
  new Set(["text", "varchar", "bpchar", "name", "citext"]),
  new Set(["date", "timestamp", "timestamptz"]),
  new Set(["time", "timetz", "interval"]),
  new Set(["inet", "cidr"]),
  new Set(["uuid"]),
  new Set(["bool"]),
  new Set(["bytea"]),
  new Set(["jsonb"]),
];

/** Whether Postgres has no operator `=` for the two types. False for unknown types. */
function cannotBeJoined(one: DatabaseType, other: DatabaseType): boolean {
  if (one.name === other.name) return false;
  const groupOf = ({ name, kind }: DatabaseType) =>
    kind === "enum" ? `enum ${name}` : groups.findIndex((group) => group.has(name));
  const [left, right] = [groupOf(one), groupOf(other)];
  return left !== right && left !== -1 && right !== -1;
}

/** A relationship whose columns Postgres cannot compare. */
export interface Unjoinable {
  /** Place of the relationship. */
  readonly at: MergedPath;
  /** `schema.name` */
  readonly table: string;
  readonly name: string;
  readonly reason: string;
}

/** Relationships by named columns that fail in every query. Postgres checks the types of foreign keys itself. */
export function unjoinableRelationships(
  { tables }: SourceMetadata,
  catalog: Catalog,
  path: MergedPath,
): readonly Unjoinable[] {
  return tables.flatMap((table, position) => {
    const own = catalog.tables.get(keyOf(table.table));
    return (["object_relationships", "array_relationships"] as const).flatMap((kind) =>
      table[kind].flatMap(({ name, using: { manual_configuration: manual } }, index): Unjoinable[] => {
        const target =
          manual !== undefined && "remote_table" in manual ? catalog.tables.get(keyOf(manual.remote_table)) : undefined;
        if (own === undefined || target === undefined || manual === undefined) return [];
        const [reason] = Object.entries(manual.column_mapping).flatMap(
          ([from, to]) => mismatch(own, from, target, to) ?? [],
        );
        return reason === undefined
          ? []
          : [{ at: [...path, "tables", position, kind, index], table: keyOf(own), name, reason }];
      }),
    );
  });
}

function mismatch(own: CatalogTable, from: string, target: CatalogTable, to: string): string | undefined {
  const [left, right] = [own.columns.get(from)?.type, target.columns.get(to)?.type];
  if (left === undefined || right === undefined || !cannotBeJoined(left, right)) return undefined;
  return `${keyOf(own)}.${from} is ${left.sql} and ${keyOf(target)}.${to} is ${right.sql}, and Postgres cannot compare them`;
}
