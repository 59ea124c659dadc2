import type { Catalog, DatabaseType } from "../catalog/catalog.ts";
import type { FunctionMetadata, QualifiedName } from "../read/shape.ts";
import type { Naming } from "../names/naming.ts";
import { functionFields } from "../names/root-fields.ts";
import { type DeclaredTable, keyOf } from "./tables.ts";
import { underivable } from "./underivable.ts";

/** A tracked function that returns rows of a tracked table. */
export interface DeclaredFunction extends QualifiedName {
  readonly field: string;
  readonly aggregateField: string;
  /** Key of the table whose rows it returns. */
  readonly target: string;
  readonly returnsSet: boolean;
  readonly volatile: boolean;
  /** Arguments of clients, by their GraphQL names. */
  readonly arguments: readonly { readonly field: string; readonly type: DatabaseType; readonly hasDefault: boolean }[];
  /** Arguments of clients without a name in the database. */
  readonly unnamed: ReadonlySet<string>;
  /** The argument that receives the session variables. */
  readonly session: { readonly name: string; readonly type: DatabaseType } | undefined;
  /** Roles with an explicit permission. */
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
  if (found?.returnTable === undefined || !tables.has(keyOf(found.returnTable)))
    underivable(`the function ${keyOf(name)} returns a type that needs a database`);
  const fields = functionFields({ function: name, configuration }, naming);
  const session = found.arguments.find(({ name: own }) => own !== undefined && own === configuration?.session_argument);
  const unnamed = new Set<string>();
  const given = found.arguments
    .filter((argument) => argument !== session)
    .map(({ name: own, type, hasDefault }) => {
      const field = own ?? `arg_${unnamed.size + 1}`;
      if (own === undefined) unnamed.add(field);
      return { field, type, hasDefault };
    });
  return {
    ...name,
    field: naming.rootField(fields.rows),
    aggregateField: naming.rootField(fields.aggregate),
    target: keyOf(found.returnTable),
    returnsSet: found.returnsSet,
    volatile: found.volatility === "volatile",
    arguments: given,
    unnamed,
    session: session?.name === undefined ? undefined : { name: session.name, type: session.type },
    permitted: permissions.map(({ role }) => role),
  };
}
