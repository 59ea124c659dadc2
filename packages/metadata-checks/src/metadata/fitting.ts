import type { Inconsistency } from "@routeql/metadata/read/problems";
import type { ReadOnlyDatabase } from "./database.ts";
import { stateOn } from "./database.ts";
import { examinable, type ReadProject } from "./project.ts";
import { validateMetadata } from "@routeql/metadata/read/validate";
import { unjoinableRelationships } from "./joins.ts";
import { withoutObjects } from "./without-objects.ts";

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
