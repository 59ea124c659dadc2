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
  isScalarType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputObjectType,
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

/** Values that occur in the database: of each scalar type (`Int`), and of each column (`author.id`). */
export type Samples = ReadonlyMap<string, readonly unknown[]>;

/** Input types of a table, after its name. */
const inputOfTable = /^(\w+?)_(?:bool_exp|insert_input|set_input|pk_columns_input)$/;

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
  #writes = false;

  constructor(schema: GraphQLSchema, samples: Samples, random: Random) {
    this.#schema = schema;
    this.#samples = samples;
    this.#random = random;
  }

  request(kind: "query" | "mutation" | "subscription"): GraphqlRequest {
    this.#variables = [];
    this.#fragments = [];
    this.#writes = kind === "mutation";
    const introspects = kind === "query" && this.#random.chance(5);
    const root = introspects ? undefined : this.#rootOf(kind);
    const most = kind === "query" || (this.#writes && this.#random.chance(25)) ? 2 : 1;
    const selection = root === undefined ? this.#introspection() : this.#selection(root, 3, most);
    const declared = this.#variables.map(({ name, type, fallback }) => `$${name}: ${type}${fallback}`).join(", ");
    const operation = `${kind}${declared === "" ? "" : ` q(${declared})`} ${selection}`;
    const text = [operation, ...this.#fragments].join(" ");
    const query = this.#random.chance(this.#writes ? 3 : 7) ? this.#random.one(faults)(this.#random, text) : text;
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
    return `${alias}${field.name}${this.#arguments(field.args, below.name)}${this.#directive()}${selection}`;
  }

  #directive(): string {
    if (!this.#random.chance(4)) return "";
    const condition = this.#random.chance(50)
      ? this.#random.one(this.#writes ? ["true", "false"] : ["true", "false", "null"])
      : this.#condition();
    return ` @${this.#random.one(["skip", "include"])}(if: ${condition})`;
  }

  #condition(): string {
    const json = this.#random.chance(50);
    return this.#variable("Boolean!", { text: String(json), json });
  }

  /** `distinct_on` is mostly drawn with an order that fits it, since Postgres rejects any other. */
  #arguments(all: readonly GraphQLArgument[], table: string): string {
    const values = new Map<string, string>();
    for (const argument of all) {
      if (!isRequiredArgument(argument) && !this.#random.chance(this.#likely(argument.name))) continue;
      values.set(argument.name, this.#argument(argument, 3, this.#writes ? `${table}.${argument.name}` : ""));
    }
    const camel = all.some(({ name }) => name === "distinctOn");
    const distinct = values.get(camel ? "distinctOn" : "distinct_on") ?? "";
    const columns = /^\[?(\w+(?:, \w+)*)\]?$/.exec(distinct)?.[1]?.split(", ");
    if (columns !== undefined && this.#random.chance(80)) {
      const directions = ["asc", "desc", "asc_nulls_first"].map((name) => (camel ? name.toUpperCase() : name));
      const order = columns.map((column) => `{${column}: ${this.#random.one(directions)}}`);
      values.set(camel ? "orderBy" : "order_by", `[${order.join(", ")}]`);
    }
    return values.size === 0 ? "" : `(${[...values].map(([name, text]) => named(name, text)).join(", ")})`;
  }

  /** Chance of an optional argument in percent; a mutation without `_set` changes nothing. */
  #likely(name: string): number {
    if (name === "where") return 45;
    return this.#writes && name === "_set" ? 80 : this.#writes && name.startsWith("_") ? 6 : 25;
  }

  #argument({ name, type }: GraphQLArgument | GraphQLInputField, depth: number, column: string): string {
    const value = ["limit", "offset", "batch_size"].includes(name) ? this.#count() : this.#value(type, depth, column);
    // A variable of a mutation contains no other variable, which would be declared but not used.
    const isPlain = !this.#writes || !value.text.includes("$");
    return isPlain && this.#random.chance(12) ? this.#variable(String(type), value) : value.text;
  }

  #count(): Value {
    const json = this.#random.chance(90) ? this.#random.below(8) : this.#random.one([...odd]);
    return { text: literal(json), json };
  }

  #variable(type: string, value: Value): string {
    const name = `v${this.#variables.length}`;
    const declared = this.#random.chance(this.#writes ? 1 : 6)
      ? this.#random.one([type.replace(/!$/, ""), "Int", "String!"])
      : type;
    const fallback = this.#random.chance(15) ? ` = ${value.text.includes("$") ? "null" : value.text}` : "";
    const json = this.#random.chance(this.#writes ? 2 : 8) ? this.#random.one([undefined, ...odd]) : value.json;
    this.#variables.push({ name, type: declared, fallback, json });
    return `$${name}`;
  }

  /** @param column of the value, such as `author.id`, if it is known */
  #value(type: GraphQLInputType, depth: number, column: string): Value {
    if (!isNonNullType(type) && this.#random.chance(this.#writes ? 1 : 3)) return { text: "null", json: null };
    const nullable = getNullableType(type);
    if (isListType(nullable)) {
      if (this.#random.chance(15)) return this.#value(nullable.ofType, depth, column);
      const item = getNamedType(nullable.ofType);
      const isEmpty = isEnumType(item) && item.getValues()[0]?.name === "_PLACEHOLDER";
      if (this.#writes && isEmpty && this.#random.chance(80)) return { text: "[]", json: [] };
      const items = Array.from({ length: this.#random.below(3) }, () => this.#value(nullable.ofType, depth, column));
      return { text: `[${items.map(({ text }) => text).join(", ")}]`, json: items.map(({ json }) => json) };
    }
    if (isEnumType(nullable)) {
      const name = this.#random.one(nullable.getValues()).name;
      return { text: this.#random.chance(2) ? JSON.stringify(name) : name, json: name };
    }
    if (isInputObjectType(nullable)) {
      const [, table] = inputOfTable.exec(nullable.name) ?? [];
      if (this.#writes && nullable.name.endsWith("_bool_exp") && this.#random.chance(45))
        return { text: "{}", json: {} };
      const most = /_(?:insert|set)_input$|(?:Insert|Set)Input$/.test(nullable.name) ? 8 : 2;
      return this.#object(nullable, depth, most, table, column);
    }
    const own = this.#samples.get(column);
    const isOther = column !== "" && nullable.name === "Boolean" && typeof own?.[0] !== "boolean";
    const values = isOther ? [true, false] : (own ?? this.#samples.get(nullable.name) ?? []);
    const usual = this.#random.chance(this.#writes ? 99 : 88);
    const json = usual && values.length > 0 ? this.#random.one(values) : this.#random.one(odd);
    return { text: literal(json), json };
  }

  /** Names of the columns that a new row needs, and of its primary key. */
  #needs(
    type: string,
    table: string | undefined,
  ): { readonly columns: ReadonlySet<string>; readonly key: ReadonlySet<string> } {
    const row = this.#writes && /_(?:insert|set)_input$/.test(type) ? this.#schema.getType(table ?? "") : undefined;
    if (!isObjectType(row)) return { columns: new Set(), key: new Set() };
    const byKey = Object.values(this.#schema.getQueryType()?.getFields() ?? {}).find(
      (field) => getNamedType(field.type) === row && field.args.length > 0 && field.args.every(isRequiredArgument),
    );
    const key = new Set(byKey?.args.map(({ name }) => name) ?? ["id"]);
    if (type.endsWith("_set_input")) return { columns: new Set(), key };
    const columns = Object.values(row.getFields()).filter(
      ({ type: own }) => isNonNullType(own) && isScalarType(own.ofType),
    );
    return { columns: new Set(columns.map(({ name }) => name)), key };
  }

  /** A key of a new row that mostly no other row has. */
  #newKey(type: GraphQLInputType, columns: number): Value | undefined {
    const isNumber = ["Int", "bigint"].includes(getNamedType(type).name);
    // A number in a key of several columns refers to another table.
    if ((isNumber && columns > 1) || !this.#random.chance(90)) return undefined;
    const number = 200 + this.#random.below(10_000);
    const json = isNumber ? number : `new ${number}`;
    return { text: literal(json), json };
  }

  #object(type: GraphQLInputObjectType, depth: number, most: number, table: string | undefined, above: string): Value {
    const fields = Object.values(type.getFields());
    const { columns, key } = this.#needs(type.name, table);
    const isNeeded = (field: GraphQLInputField) =>
      isRequiredInputField(field) || (columns.has(field.name) && this.#random.chance(90));
    const needed = fields.filter(isNeeded);
    const optional = fields.filter(
      (field) =>
        !needed.includes(field) &&
        (depth > 0 || !isInputObjectType(getNamedType(field.type))) &&
        !(type.name.endsWith("_set_input") && key.has(field.name) && this.#random.chance(80)),
    );
    const chosen = optional.length === 0 || this.#random.chance(4) ? [] : this.#random.some(optional, most);
    // The row above or below determines the columns of a relationship.
    const related = new Set(this.#writes ? chosen.map(({ name }) => `${name}_id`) : []);
    const present = [...needed, ...chosen].filter(({ name }) => !related.has(name) || this.#random.chance(10));
    const drawn = present.map((field) => {
      // The values of a comparison are those of its column.
      const column = this.#writes ? (table === undefined ? above : `${table}.${field.name}`) : "";
      const value =
        (key.has(field.name) ? this.#newKey(field.type, key.size) : undefined) ??
        this.#value(field.type, depth - 1, column);
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
