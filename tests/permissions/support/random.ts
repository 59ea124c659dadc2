import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from "graphql";
import { randomNumbers } from "../../harness/random.ts";

/** Values to try by GraphQL type, as GraphQL text, mainly those of hidden rows. */
export type Values = Readonly<Record<string, readonly string[]>>;

/** Generates documents from a role's schema. */
export class RandomDocuments {
  readonly #schema: GraphQLSchema;
  readonly #values: Values;
  readonly #random: () => number;

  constructor(schema: GraphQLSchema, values: Values, seed: number) {
    this.#schema = schema;
    this.#values = values;
    this.#random = randomNumbers(seed);
  }

  #pick<Item>(items: readonly Item[]): Item {
    const item = items[Math.floor(this.#random() * items.length)];
    if (item === undefined) throw new Error("there is nothing to pick from");
    return item;
  }

  /** A query of one root field with a random condition and selection. No list has an order or a limit, so the result is a set. */
  next(): string {
    const root = this.#schema.getQueryType();
    if (!root) throw new Error("the schema has no query");
    return `query { ${this.#field(root, this.#pick(Object.keys(root.getFields())), 3)} }`;
  }

  #field(type: GraphQLObjectType, name: string, depth: number): string {
    const field = type.getFields()[name];
    if (field === undefined) throw new Error(`there is no field ${name}`);
    const where = field.args.find((argument) => argument.name === "where");
    const args =
      where !== undefined && this.#random() < 0.8
        ? `(where: ${this.#condition(named(where.type) as GraphQLInputObjectType, 3)})`
        : "";
    const below = named(field.type);
    return isObjectType(below) ? `${name}${args} ${this.#selection(below, depth - 1)}` : name;
  }

  #selection(type: GraphQLObjectType, depth: number): string {
    const names = Object.entries(type.getFields()).filter(
      ([name, field]) => (depth > 0 || !isObjectType(named(field.type))) && isStable(name),
    );
    const chosen = new Set(Array.from({ length: 3 }, () => this.#pick([...names.map(([name]) => name), "__typename"])));
    return `{ ${[...chosen].map((name) => (name === "__typename" ? name : this.#field(type, name, depth))).join(" ")} }`;
  }

  #condition(type: GraphQLInputObjectType, depth: number): string {
    const all = Object.values(type.getFields());
    const shallow = all.filter(({ type: of }) => !named(of).name.endsWith("_bool_exp"));
    const fields = depth > 0 || shallow.length === 0 ? all : shallow;
    const entries = new Map<string, string>();
    for (let count = 0; count <= Math.floor(this.#random() * 2.5); count += 1) {
      const field = this.#pick(fields);
      entries.set(field.name, this.#value(field.type, depth - 1));
    }
    for (const { name, type: of } of all)
      if (isNonNullType(of) && !entries.has(name)) entries.set(name, this.#value(of, depth - 1));
    return `{${[...entries].map(([name, value]) => `${name}: ${value}`).join(", ")}}`;
  }

  #value(type: GraphQLInputType, depth: number): string {
    if (isNonNullType(type)) return this.#value(type.ofType, depth);
    if (isListType(type)) return `[${this.#value(type.ofType, depth)}]`;
    if (isInputObjectType(type)) return this.#condition(type, depth);
    if (isEnumType(type)) return this.#pick(type.getValues()).name;
    return this.#pick(this.#values[type.name] ?? ['""']);
  }
}

/** Sums of floats depend on the order of rows, which an update changes without other effects. */
function isStable(name: string): boolean {
  return !/^(avg|stddev|variance|var_)/.test(name);
}

function named(type: unknown): { readonly name: string } {
  let inner = type as { ofType?: unknown; name: string };
  while (inner.ofType !== undefined) inner = inner.ofType as typeof inner;
  return inner;
}
