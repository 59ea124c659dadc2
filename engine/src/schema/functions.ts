import { nameKey, type Catalog, type CatalogFunction } from "@routeql/metadata/catalog/catalog";
import type { MergedPath } from "@routeql/metadata/read/load";
import type { ComputedFieldMetadata, FunctionMetadata, QualifiedName } from "@routeql/metadata/read/shape";
import {
  type ClientArgument,
  type ComputedField,
  description,
  type Fail,
  type FunctionCall,
  title,
  type TrackedFunction,
  type TrackedTable,
} from "../model.ts";
import { defaultName, functionFields, graphqlName, type Naming } from "@routeql/metadata/naming";
import { unnameable } from "./scalars.ts";

function onlyFunction(name: QualifiedName, catalog: Catalog, fail: Fail): CatalogFunction | undefined {
  const overloads = catalog.functions.get(nameKey(name)) ?? [];
  const [found] = overloads;
  if (found === undefined) return fail(`the database has no function ${nameKey(name)}`);
  if (overloads.length > 1) return fail(`the function ${nameKey(name)} is overloaded, which is not supported`);
  if (found.variadic) return fail(`the function ${nameKey(name)} has VARIADIC arguments, which is not supported`);
  return found;
}

interface ImpliedArguments {
  readonly row: string | undefined;
  readonly rowIsFirst: boolean;
  readonly session: string | undefined;
}

/** Unnamed arguments are called `arg_1`, `arg_2`, … in their order. */
function callOf(
  found: CatalogFunction,
  implied: ImpliedArguments,
  naming: Naming,
  fail: Fail,
): FunctionCall | undefined {
  if (implied.session !== undefined) {
    const session = found.arguments.find(({ name }) => name === implied.session);
    if (session === undefined)
      return fail(
        `the given session argument "${implied.session}" is not an input argument of the function ${nameKey(found)}`,
      );
    if (session.type.name !== "json" && session.type.name !== "jsonb")
      return fail(`the given session argument "${implied.session}" is not of type json`);
  }
  let unnamed = 0;
  const positions = found.arguments.map((argument, index): FunctionCall["arguments"][number] => {
    if (argument.name !== undefined && argument.name === implied.session) return { kind: "session" };
    if ((implied.row !== undefined && argument.name === implied.row) || (implied.rowIsFirst && index === 0))
      return { kind: "row" };
    if (argument.name === undefined) unnamed += 1;
    const name = argument.name ?? `arg_${unnamed}`;
    const client: ClientArgument = { name, graphqlName: name, type: argument.type, hasDefault: argument.hasDefault };
    return { kind: "client", argument: client };
  });
  for (const position of positions) {
    if (position.kind !== "client") continue;
    const { name, type } = position.argument;
    const reason = graphqlName.test(name) ? unnameable(type) : "its name is not a GraphQL name";
    if (reason !== undefined)
      return fail(`the argument "${name}" of the function ${nameKey(found)} cannot be in the schema: ${reason}`);
  }
  return { function: found, arguments: positions };
}

export function resolveComputedField(
  table: TrackedTable,
  metadata: ComputedFieldMetadata,
  tables: ReadonlyMap<string, TrackedTable>,
  catalog: Catalog,
  naming: Naming,
  fail: Fail,
): ComputedField | undefined {
  const { function: name, table_argument: row, session_argument: session } = metadata.definition;
  const found = onlyFunction(name, catalog, fail);
  if (found === undefined) return undefined;
  if (found.volatility === "volatile")
    return fail(`the function ${nameKey(name)} is VOLATILE; a computed field needs STABLE or IMMUTABLE`);
  const rowIndex =
    row === null || row === undefined ? 0 : found.arguments.findIndex((argument) => argument.name === row);
  const rowArgument = found.arguments[rowIndex];
  if (rowArgument === undefined)
    return fail(
      row === null || row === undefined
        ? `the function ${nameKey(name)} takes no argument`
        : `the function ${nameKey(name)} has no argument "${row}"`,
    );
  if (rowArgument.type.kind !== "composite" || rowArgument.type.name !== table.catalog.name) {
    return fail(`the argument "${rowArgument.name ?? "1"}" of ${nameKey(name)} is not of the type ${table.key}`);
  }
  const call = callOf(
    found,
    { row: row ?? undefined, rowIsFirst: rowIndex === 0, session: session ?? undefined },
    naming,
    fail,
  );
  if (call === undefined) return undefined;
  const common = {
    name: metadata.name,
    call,
    description: description(metadata.comment, found.comment ?? `A computed field, executes function ${title(found)}`),
  };
  // As in Hasura, a function that returns one row of a table is a list too.
  if (found.returnsSet || found.returnTable !== undefined) {
    const target = found.returnTable === undefined ? undefined : tables.get(nameKey(found.returnTable));
    if (target === undefined)
      return fail(`the function ${nameKey(name)} returns rows of something that is not a tracked table`);
    return { ...common, result: { kind: "table", target } };
  }
  if (found.returnType.kind !== "base")
    return fail(`the function ${title(found)} returning type ${found.returnType.name} is not a BASE type`);
  return { ...common, result: { kind: "scalar", type: found.returnType } };
}

export function resolveFunction(
  metadata: FunctionMetadata,
  path: MergedPath,
  tables: ReadonlyMap<string, TrackedTable>,
  catalog: Catalog,
  naming: Naming,
  fail: Fail,
): TrackedFunction | undefined {
  const found = onlyFunction(metadata.function, catalog, fail);
  if (found === undefined) return undefined;
  const exposedAs = metadata.configuration?.exposed_as ?? (found.volatility === "volatile" ? "mutation" : "query");
  if (exposedAs === "mutation" && found.volatility !== "volatile") {
    const name = title(found);
    const why = "the function was requested to be exposed as a mutation, but is not marked VOLATILE";
    return fail(
      `in function ${name}: the function ${name} cannot be tracked because ${why}. Maybe the function was given the wrong volatility when it was defined?`,
    );
  }
  const target = found.returnTable === undefined ? undefined : tables.get(nameKey(found.returnTable));
  if (target === undefined) return fail(`the function ${nameKey(found)} does not return rows of a tracked table`);
  const call = callOf(
    found,
    { row: undefined, rowIsFirst: false, session: metadata.configuration?.session_argument ?? undefined },
    naming,
    fail,
  );
  if (call === undefined) return undefined;
  const fields = functionFields(metadata, naming);
  const bad = Object.values(fields).find((name) => !graphqlName.test(name));
  if (bad !== undefined) return fail(`"${bad}" is not a GraphQL name; give it a custom_name`);
  const argumentsType = naming.functionArguments(metadata.configuration?.custom_name ?? defaultName(metadata.function));
  return { call, metadata, path, fields, argumentsType, target, returnsSet: found.returnsSet, exposedAs };
}
