import {
  isDirective,
  isEnumType,
  isInputObjectType,
  isNamedType,
  isObjectType,
  type GraphQLField,
  type GraphQLSchema,
} from "graphql";
import { exceeds } from "../../cost/limits.ts";
import { shownType } from "./introspection-types.ts";
import { invalid } from "../../errors.ts";
import type { SelectedField, SelectionReader } from "./selection.ts";

/** Fields with lists of types or fields; nesting them multiplies the result. */
const multiplying = new Set(["fields", "inputFields", "interfaces", "possibleTypes"]);
const maxMultiplying = 3;

type Resolve = (
  source: unknown,
  given: Record<string, unknown>,
  context: undefined,
  info: { schema: GraphQLSchema },
) => unknown;

interface Selected {
  readonly field: SelectedField;
  readonly given: Readonly<Record<string, unknown>>;
  readonly below: readonly Selected[];
}

/** Hasura sorts named items by name, except directives and their arguments. */
function sorted(items: readonly unknown[], source: unknown): readonly unknown[] {
  if (isDirective(source) || items.some(isDirective)) return items;
  const named = items.every(
    (item) => typeof item === "object" && item !== null && "name" in item && typeof item.name === "string",
  );
  if (!named) return items;
  return [...(items as readonly { name: string }[])].sort((one, other) =>
    one.name < other.name ? -1 : one.name > other.name ? 1 : 0,
  );
}

/** Reads the whole selection before any lookup, so that selections on missing objects are checked too. */
function read(field: SelectedField, selection: SelectionReader, lists: number): Selected {
  const name = field.definition?.name ?? "";
  const depth = lists + (multiplying.has(name) ? 1 : 0);
  if (depth > maxMultiplying) throw invalid("the introspection is nested too deeply", field.path);
  const given = Object.fromEntries(
    (field.definition?.args ?? []).map((argument) => {
      const input = field.arguments.get(argument.name);
      const { inputs } = selection;
      if (input === undefined || (argument.defaultValue !== undefined && inputs.settle(input).kind === "null"))
        return [argument.name, argument.defaultValue];
      return [argument.name, argument.name === "name" ? inputs.string(input) : inputs.boolean(input)];
    }),
  );
  const { objectType } = field;
  if (objectType === undefined) return { field, given, below: [] };
  // Each introspection type starts at depth zero; multiplication is limited above.
  const below = selection
    .fields(objectType, field.selectionSets, field.path, 1)
    .map((child) => read(child, selection, depth));
  return { field, given, below: below.toArray() };
}

/** Number of types, fields, arguments and enum values of each schema. */
const sizes = new WeakMap<GraphQLSchema, number>();

function sizeOf(schema: GraphQLSchema): number {
  const known = sizes.get(schema);
  if (known !== undefined) return known;
  let size = 0;
  for (const type of Object.values(schema.getTypeMap())) {
    size += 1;
    if (isEnumType(type)) size += type.getValues().length;
    else if (isInputObjectType(type)) size += Object.keys(type.getFields()).length;
    else if (isObjectType(type)) for (const { args } of Object.values(type.getFields())) size += 1 + args.length;
  }
  sizes.set(schema, size);
  return size;
}

/** Number of characters of a text that count as one more value. */
const charactersPerValue = 50;

class Introspector {
  readonly #schema: GraphQLSchema;
  readonly #most: number;
  #values = 0;

  /** @param valuesPerElement limit of the result's size per schema element; 0 = none */
  constructor(schema: GraphQLSchema, valuesPerElement: number) {
    this.#schema = schema;
    this.#most = valuesPerElement * sizeOf(schema);
  }

  #count(values: number): void {
    this.#values += values;
    if (exceeds(this.#values, this.#most))
      throw invalid(
        `the introspection gives more values than the limit of ${this.#most}. Ask for less of the schema at once`,
      );
  }

  value({ field, given, below }: Selected, source: unknown): unknown {
    const { definition } = field;
    if (definition === undefined) return null;
    const resolve = definition.resolve as Resolve | undefined;
    const value =
      resolve === undefined
        ? (source as Record<string, unknown>)[definition.name]
        : resolve(source, given, undefined, { schema: this.#schema });
    return this.#complete(field, below, value, source);
  }

  #complete(field: SelectedField, below: readonly Selected[], value: unknown, source?: unknown): unknown {
    this.#count(typeof value === "string" ? 1 + value.length / charactersPerValue : 1);
    if (value === null || value === undefined) return null;
    if (Array.isArray(value))
      return sorted(value, source).flatMap((item) =>
        isNamedType(item) && shownType(item) === undefined ? [] : [this.#complete(field, below, item)],
      );
    const type = field.objectType;
    if (type === undefined) return value;
    const shown = isNamedType(value) ? shownType(value) : value;
    if (shown === undefined) return null;
    return Object.fromEntries(
      below.map((child) => [
        child.field.key,
        child.field.definition === undefined ? type.name : this.value(child, shown),
      ]),
    );
  }
}

/** JSON text of `__schema` or `__type`. */
export function introspect(
  field: SelectedField & { definition: GraphQLField<unknown, unknown> },
  schema: GraphQLSchema,
  selection: SelectionReader,
  valuesPerElement: number,
): string {
  return JSON.stringify(new Introspector(schema, valuesPerElement).value(read(field, selection, 0), undefined));
}
