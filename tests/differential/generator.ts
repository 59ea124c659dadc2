import {
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
} from "graphql";
import { Random } from "./random.ts";

export interface GraphqlRequest {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly operationName?: string;
}

/** Values of each scalar type that occur in the database. */
export type Samples = ReadonlyMap<string, readonly unknown[]>;

/** A value as text of a document, and as JSON of a variable. */
interface Value {
  readonly text: string;
  readonly json: unknown;
}

const odd: readonly unknown[] = [
  0,
  -1,
  1,
  2,
  1.5,
  2_147_483_648,
  -2_147_483_649,
  1e19,
  Infinity,
  true,
  false,
  null,
  {},
  [],
  [1],
  { a: 1 },
  "",
  "a",
  "'",
  '"',
  "\\",
  "%",
  ..."_ null true 1 -1 1.5 NaN Infinity now {} [] 2020-01-01 2020-01-01T00:00:00Z 10.0.0.0/8 a.b {1,2} \u{1d11e}".split(
    " ",
  ),
  '{"a":1}',
  "x".repeat(300),
];

const named = (name: string, text: string): string => `${name}: ${text}`;

/** A JSON value in the syntax of a document. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (typeof value === "object" && value !== null)
    return `{${Object.entries(value)
      .map(([name, item]) => named(name, literal(item)))
      .join(", ")}}`;
  return typeof value === "number" && !Number.isFinite(value) ? "1e400" : JSON.stringify(value);
}

/** Changes that make a correct document wrong in one place. */
const faults: readonly ((random: Random, text: string) => string)[] = [
  (random, text) => text.slice(0, random.below(text.length)),
  (random, text) => withoutOne(random, text, /[{}():,$]/g),
  (random, text) => changeOne(random, text, /\b[a-z_][a-z_0-9]{2,}\b/gi, (word) => `${word}x`),
  (random, text) => changeOne(random, text, /\b[a-z_][a-z_0-9]{2,}\b/gi, () => random.one(["true", "null", "__type"])),
  (random, text) => changeOne(random, text, /: [^,(){}[\]]+/g, () => `: ${literal(random.one(odd))}`),
  (random, text) => changeOne(random, text, /\$v\d+\b/g, () => "$other"),
  (random, text) => changeOne(random, text, /\) \{/g, () => ") @include(if: 1) {"),
  (random, text) => changeOne(random, text, /\{ [a-z]/gi, (start) => `{ ...missing ${start.slice(2)}`),
  (_, text) => `${text} ${text}`,
];

function changeOne(random: Random, text: string, pattern: RegExp, change: (found: string) => string): string {
  const matches = [...text.matchAll(pattern)];
  if (matches.length === 0) return text;
  const { index, 0: found } = random.one(matches);
  return text.slice(0, index) + change(found) + text.slice(index + found.length);
}

const withoutOne = (random: Random, text: string, pattern: RegExp): string =>
  changeOne(random, text, pattern, () => "");

/** Draws requests from the schema of one role. The same seed draws the same requests. */
export class Generator {
  readonly #schema: GraphQLSchema;
  readonly #samples: Samples;
  readonly #random: Random;
  #variables: { readonly name: string; readonly type: string; readonly fallback: string; readonly json: unknown }[] =
    [];
  #fragments: string[] = [];

  constructor(schema: GraphQLSchema, samples: Samples, random: Random) {
    this.#schema = schema;
    this.#samples = samples;
    this.#random = random;
  }

  request(kind: "query" | "mutation" | "subscription"): GraphqlRequest {
    this.#variables = [];
    this.#fragments = [];
    const introspects = kind === "query" && this.#random.chance(5);
    const root = introspects ? undefined : this.#rootOf(kind);
    const selection = root === undefined ? this.#introspection() : this.#selection(root, 3, kind === "query" ? 2 : 1);
    const declared = this.#variables.map(({ name, type, fallback }) => `$${name}: ${type}${fallback}`).join(", ");
    const operation = `${kind}${declared === "" ? "" : ` q(${declared})`} ${selection}`;
    const text = [operation, ...this.#fragments].join(" ");
    const query = this.#random.chance(7) ? this.#random.one(faults)(this.#random, text) : text;
    const given = this.#variables.filter(({ json }) => json !== undefined);
    if (given.length === 0) return { query };
    return { query, variables: Object.fromEntries(given.map(({ name, json }) => [name, json])) };
  }

  #rootOf(kind: "query" | "mutation" | "subscription"): GraphQLObjectType | undefined {
    if (kind === "mutation") return this.#schema.getMutationType() ?? undefined;
    return (kind === "query" ? this.#schema.getQueryType() : this.#schema.getSubscriptionType()) ?? undefined;
  }

  #introspection(): string {
    const name = literal(this.#random.one(this.#typeNames()));
    const reference = "{ kind name ofType { kind name ofType { kind name ofType { name } } } }";
    const input = `{ name description defaultValue type ${reference} }`;
    const fields = `fields { name description isDeprecated args ${input} type ${reference} }`;
    return this.#random.one([
      `{ __type(name: ${name}) { kind name description ${fields} inputFields ${input} enumValues { name description } } }`,
      `{ __type(name: ${name}) { __typename possibleTypes { name } interfaces { name } fields(includeDeprecated: true) { name } } }`,
      "{ __schema { queryType { name } mutationType { name } subscriptionType { name } } }",
      `{ __schema { directives { name description locations args ${input} } } }`,
      "{ __typename }",
    ]);
  }

  #typeNames(): readonly string[] {
    const fields = Object.values(this.#schema.getQueryType()?.getFields() ?? {});
    const types = fields.flatMap(({ type, args }) => [type, ...args.map((argument) => argument.type)]);
    return [...new Set(types.map((type) => getNamedType(type).name)), "other"];
  }

  #selection(type: GraphQLObjectType, depth: number, most: number): string {
    const fields = Object.values(type.getFields()).filter(
      (field) => depth > 0 || !isObjectType(getNamedType(field.type)),
    );
    if (fields.length === 0) return "{ __typename }";
    const items = this.#random.some(fields, most).map((field) => this.#field(field, depth));
    if (this.#random.chance(10)) items.push("__typename");
    if (this.#random.chance(4)) items.push(items[0] ?? "__typename");
    const text = `{ ${items.join(" ")} }`;
    if (!this.#random.chance(6)) return text;
    if (this.#random.chance(50)) return `{ ... on ${type.name}${this.#directive()} ${text} }`;
    const name = `f${this.#fragments.length}`;
    this.#fragments.push(`fragment ${name} on ${type.name} ${text}`);
    return `{ ...${name} }`;
  }

  #field(field: GraphQLField<unknown, unknown>, depth: number): string {
    const alias = this.#random.chance(15) ? `a${this.#random.below(4)}: ` : "";
    const below = getNamedType(field.type);
    const selection = isObjectType(below) ? ` ${this.#selection(below, depth - 1, 4)}` : "";
    return `${alias}${field.name}${this.#arguments(field.args)}${this.#directive()}${selection}`;
  }

  #directive(): string {
    if (!this.#random.chance(4)) return "";
    const condition = this.#random.chance(50) ? this.#random.one(["true", "false", "null"]) : this.#condition();
    return ` @${this.#random.one(["skip", "include"])}(if: ${condition})`;
  }

  #condition(): string {
    const json = this.#random.chance(50);
    return this.#variable("Boolean!", { text: String(json), json });
  }

  /** `distinct_on` is mostly drawn with an order that fits it, since Postgres rejects any other. */
  #arguments(all: readonly GraphQLArgument[]): string {
    const values = new Map<string, string>();
    for (const argument of all) {
      if (!isRequiredArgument(argument) && !this.#random.chance(argument.name === "where" ? 45 : 25)) continue;
      values.set(argument.name, this.#argument(argument, 3));
    }
    const columns = /^\[?(\w+(?:, \w+)*)\]?$/.exec(values.get("distinct_on") ?? "")?.[1]?.split(", ");
    if (columns !== undefined && this.#random.chance(80)) {
      const order = columns.map((column) => `{${column}: ${this.#random.one(["asc", "desc", "asc_nulls_first"])}}`);
      values.set("order_by", `[${order.join(", ")}]`);
    }
    return values.size === 0 ? "" : `(${[...values].map(([name, text]) => named(name, text)).join(", ")})`;
  }

  #argument({ name, type }: GraphQLArgument | GraphQLInputField, depth: number): string {
    const value = ["limit", "offset", "batch_size"].includes(name) ? this.#count() : this.#value(type, depth);
    return this.#random.chance(12) ? this.#variable(String(type), value) : value.text;
  }

  #count(): Value {
    const json = this.#random.chance(90) ? this.#random.below(8) : this.#random.one([...odd]);
    return { text: literal(json), json };
  }

  #variable(type: string, value: Value): string {
    const name = `v${this.#variables.length}`;
    const declared = this.#random.chance(6) ? this.#random.one([type.replace(/!$/, ""), "Int", "String!"]) : type;
    const fallback = this.#random.chance(15) ? ` = ${value.text.includes("$") ? "null" : value.text}` : "";
    const json = this.#random.chance(8) ? this.#random.one([undefined, ...odd]) : value.json;
    this.#variables.push({ name, type: declared, fallback, json });
    return `$${name}`;
  }

  #value(type: GraphQLInputType, depth: number): Value {
    if (!isNonNullType(type) && this.#random.chance(3)) return { text: "null", json: null };
    const nullable = getNullableType(type);
    if (isListType(nullable)) {
      if (this.#random.chance(15)) return this.#value(nullable.ofType, depth);
      const items = Array.from({ length: this.#random.below(3) }, () => this.#value(nullable.ofType, depth));
      return { text: `[${items.map(({ text }) => text).join(", ")}]`, json: items.map(({ json }) => json) };
    }
    if (isEnumType(nullable)) {
      const name = this.#random.one(nullable.getValues()).name;
      return { text: this.#random.chance(2) ? JSON.stringify(name) : name, json: name };
    }
    if (isInputObjectType(nullable)) {
      const most = /_(?:insert|set)_input$|(?:Insert|Set)Input$/.test(nullable.name) ? 8 : 2;
      return this.#object(Object.values(nullable.getFields()), depth, most);
    }
    const values = this.#samples.get(nullable.name) ?? [];
    const json = this.#random.chance(88) && values.length > 0 ? this.#random.one(values) : this.#random.one(odd);
    return { text: literal(json), json };
  }

  #object(fields: readonly GraphQLInputField[], depth: number, most: number): Value {
    const optional = fields.filter(
      (field) => !isRequiredInputField(field) && (depth > 0 || !isInputObjectType(getNamedType(field.type))),
    );
    const chosen = optional.length === 0 || this.#random.chance(4) ? [] : this.#random.some(optional, most);
    const drawn = [...fields.filter((field) => isRequiredInputField(field)), ...chosen].map((field) => {
      const value = this.#value(field.type, depth - 1);
      const inner = value.text.includes("$") ? value.text : this.#inner(field, value);
      return { name: field.name, text: inner, json: value.json };
    });
    return {
      text: `{${drawn.map(({ name, text }) => named(name, text)).join(", ")}}`,
      json: Object.fromEntries(drawn.map(({ name, json }) => [name, json])),
    };
  }

  #inner(field: GraphQLInputField, value: Value): string {
    return this.#random.chance(3) ? this.#variable(String(field.type), value) : value.text;
  }
}
