import { isDirective, type GraphQLField, type GraphQLSchema } from "graphql";
import { invalid } from "./invalid.ts";
import type { Input } from "./input.ts";
import type { SelectedField, SelectionReader } from "./selection.ts";

/** Fields that give lists of types or fields; nesting them multiplies the answer. */
const multiplying = new Set(["fields", "inputFields", "interfaces", "possibleTypes"]);
const maxMultiplying = 3;

type Resolve = (source: unknown, given: Record<string, unknown>, context: undefined, info: { schema: GraphQLSchema }) => unknown;

function valueOf(input: Input): unknown {
  return input.kind === "scalar" ? input.value : null;
}

/** Hasura lists what has a name in the order of its name, except for directives and their arguments. */
function sorted(items: readonly unknown[], source: unknown): readonly unknown[] {
  if (isDirective(source) || items.some(isDirective)) return items;
  const named = items.every((item) => typeof item === "object" && item !== null && "name" in item && typeof item.name === "string");
  if (!named) return items;
  return [...(items as readonly { name: string }[])].sort((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0));
}

class Introspector {
  readonly #schema: GraphQLSchema;
  readonly #selection: SelectionReader;
  readonly #below = new Map<SelectedField, readonly SelectedField[]>();

  constructor(schema: GraphQLSchema, selection: SelectionReader) {
    this.#schema = schema;
    this.#selection = selection;
  }

  value(field: SelectedField & { definition: GraphQLField<unknown, unknown> }, source: unknown, lists: number): unknown {
    const { definition } = field;
    const given: Record<string, unknown> = {};
    for (const argument of definition.args) {
      const input = field.arguments.get(argument.name);
      const settled = input === undefined ? undefined : this.#selection.inputs.settle(input);
      given[argument.name] = settled === undefined || settled.kind === "null" ? argument.defaultValue : valueOf(settled);
    }
    const resolve = definition.resolve as Resolve | undefined;
    const value = resolve === undefined ? (source as Record<string, unknown>)[definition.name] : resolve(source, given, undefined, { schema: this.#schema });
    const depth = lists + (multiplying.has(definition.name) ? 1 : 0);
    if (depth > maxMultiplying) throw invalid("the introspection is nested too deeply", field.path);
    return this.#complete(field, value, depth, source);
  }

  #complete(field: SelectedField, value: unknown, lists: number, source?: unknown): unknown {
    if (value === null || value === undefined) return null;
    if (Array.isArray(value)) return sorted(value, source).map((item) => this.#complete(field, item, lists));
    const type = field.objectType;
    if (type === undefined) return value;
    // Each introspection type stands on its own, so that depth does not count here: what multiplies is limited above.
    const below = this.#below.get(field) ?? this.#selection.fields(type, field.selectionSets, field.path, 1);
    this.#below.set(field, below);
    return Object.fromEntries(
      below.map((child) => [
        child.key,
        child.definition === undefined ? type.name : this.value(child as SelectedField & { definition: GraphQLField<unknown, unknown> }, value, lists),
      ]),
    );
  }
}

/** JSON text of `__schema` or `__type`. */
export function introspect(field: SelectedField & { definition: GraphQLField<unknown, unknown> }, schema: GraphQLSchema, selection: SelectionReader): string {
  return JSON.stringify(new Introspector(schema, selection).value(field, undefined, 0));
}

