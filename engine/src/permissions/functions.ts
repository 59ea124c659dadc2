import type { Catalog } from "../catalog/catalog.ts";
import type { FunctionMetadata, QualifiedName } from "../metadata/shape.ts";
import type { Naming } from "../schema/naming.ts";
import { functionFields } from "../schema/functions.ts";
import { type DeclaredTable, keyOf } from "./tables.ts";
import { underivable } from "./underivable.ts";

/** A tracked function whose rows are those of a tracked table. */
export interface DeclaredFunction extends QualifiedName {
  readonly field: string;
  readonly aggregateField: string;
  /** Key of the table whose rows it returns. */
  readonly target: string;
  readonly returnsSet: boolean;
  readonly volatile: boolean;
  /** Arguments of the client's, by their GraphQL names. */
  readonly arguments: readonly { readonly field: string; readonly type: string; readonly hasDefault: boolean }[];
  /** Whether it is handed the session's variables. */
  readonly readsSession: boolean;
  /** Roles that are permitted it by name. */
  readonly permitted: readonly string[];
}

/** @throws UnderivableMetadata without a catalogue */
export function functionOf(
  { function: name, configuration, permissions }: FunctionMetadata,
  tables: ReadonlyMap<string, DeclaredTable>,
  naming: Naming,
  catalog: Catalog | undefined,
): DeclaredFunction {
  const found = catalog?.functions.get(keyOf(name))?.[0];
  if (found?.returnTable === undefined || !tables.has(keyOf(found.returnTable))) underivable(`the function ${keyOf(name)} returns what only the database tells`);
  const fields = functionFields({ function: name, configuration }, naming);
  const session = configuration?.session_argument ?? undefined;
  const given = found.arguments.filter((argument) => session === undefined || argument.name !== session);
  let unnamed = 0;
  return {
    ...name,
    field: naming.rootField(fields.rows),
    aggregateField: naming.rootField(fields.aggregate),
    target: keyOf(found.returnTable),
    returnsSet: found.returnsSet,
    volatile: found.volatility === "volatile",
    arguments: given.map((argument) => {
      if (argument.name === undefined) unnamed += 1;
      return { field: argument.name ?? `arg_${unnamed}`, type: argument.type.sql, hasDefault: argument.hasDefault };
    }),
    readsSession: session !== undefined,
    permitted: permissions.map(({ role }) => role),
  };
}
