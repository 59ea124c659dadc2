import {
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  Kind,
  valueFromASTUntyped,
  type GraphQLEnumType,
  type GraphQLEnumValue,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type ValueNode,
} from "graphql";
import { kindOf, rawText } from "../schema/values.ts";
import { invalid } from "./invalid.ts";
import type { Variables } from "./variables.ts";

interface Placed {
  readonly path: string;
}

/** An argument's value, checked against its type as far as its structure goes; scalars are converted where their column is known. */
export type Input =
  | (Placed & { readonly kind: "null"; readonly type: string })
  | (Placed & { readonly kind: "object"; readonly entries: readonly { readonly field: GraphQLInputField; readonly value: Input }[] })
  | (Placed & { readonly kind: "list"; readonly items: readonly Input[] })
  | (Placed & { readonly kind: "enum"; readonly value: GraphQLEnumValue })
  | (Placed & { readonly kind: "scalar"; readonly type: string; readonly value: unknown })
  /** A scalar, or a list of scalars, that is known only when the plan runs. */
  | (Placed & { readonly kind: "variable"; readonly type: string; readonly name: string; readonly defaultValue: unknown });

/** Deepest nesting of lists and objects in one argument. */
const maxInputDepth = 60;

const nodeKinds: Readonly<Record<string, string>> = {
  [Kind.INT]: "an integer",
  [Kind.FLOAT]: "a float",
  [Kind.STRING]: "a string",
  [Kind.BOOLEAN]: "a boolean",
  [Kind.NULL]: "null",
  [Kind.ENUM]: "an enum value",
  [Kind.LIST]: "a list",
  [Kind.OBJECT]: "an object",
};

function nullable(type: GraphQLInputType): Exclude<GraphQLInputType, { ofType: unknown } & { kind: "nonnull" }> {
  return isNonNullType(type) ? (type.ofType) : type;
}

function isScalarLike(type: GraphQLInputType): boolean {
  const inner = nullable(type);
  if (isListType(inner)) return isScalarLike(inner.ofType);
  return !isEnumType(inner) && !isInputObjectType(inner);
}

const json = JSON as unknown as { rawJSON(text: string): unknown };

/** Reads arguments and variables into `Input`. */
export class InputReader {
  readonly #variables: Variables;

  constructor(variables: Variables) {
    this.#variables = variables;
  }

  read(node: ValueNode, type: GraphQLInputType, path: string, depth = 0): Input {
    if (depth > maxInputDepth) throw invalid("the value is nested too deeply", path);
    if (node.kind === Kind.VARIABLE) return this.#variable(node.name.value, type, path, depth);
    const inner = nullable(type);
    if (node.kind === Kind.NULL) return this.#null(type, path);
    if (isListType(inner)) {
      const of = inner.ofType;
      if (node.kind !== Kind.LIST) return { kind: "list", path, items: [this.read(node, of, `${path}[0]`, depth + 1)] };
      return { kind: "list", path, items: node.values.map((value, index) => this.read(value, of, `${path}[${index}]`, depth + 1)) };
    }
    if (isInputObjectType(inner)) {
      if (node.kind !== Kind.OBJECT) throw expected("an object", inner.name, nodeKinds[node.kind], path);
      const entries = node.fields.map(({ name, value }) => [name.value, value] as const);
      return this.#object(inner, entries, path, (value, of, at) => this.read(value, of, at, depth + 1));
    }
    if (isEnumType(inner)) {
      if (node.kind !== Kind.ENUM) throw expected("an enum value", inner.name, nodeKinds[node.kind], path);
      return { kind: "enum", path, value: enumValue(inner, node.value, path) };
    }
    return { kind: "scalar", path, type: inner.name, value: this.#literal(node, path) };
  }

  #null(type: GraphQLInputType, path: string): Input {
    if (isNonNullType(type)) throw invalid(`unexpected null value for type '${String(type.ofType)}'`, path);
    return { kind: "null", path, type: String(type) };
  }

  #variable(name: string, type: GraphQLInputType, path: string, depth: number): Input {
    const { defaultValue } = this.#variables.use(name, type, path);
    if (isScalarLike(type)) {
      const value: unknown = defaultValue === undefined ? null : this.#literal(defaultValue, path);
      return { kind: "variable", path, type: String(nullable(type)), name, defaultValue: value };
    }
    const value = this.#variables.structuralValue(name);
    if (value !== undefined) return this.#json(value, type, path, depth);
    return defaultValue === undefined ? this.#null(nullable(type), path) : this.read(defaultValue, type, path, depth + 1);
  }

  /** The value of a variable that has to be known to plan: limits, flags and the like. */
  settle(input: Input): Input {
    if (input.kind !== "variable") return input;
    const value = this.#variables.structuralValue(input.name);
    const known = value === undefined ? input.defaultValue : value;
    return known === null || known === undefined
      ? { kind: "null", path: input.path, type: input.type }
      : { kind: "scalar", path: input.path, type: input.type, value: known };
  }

  #json(value: unknown, type: GraphQLInputType, path: string, depth: number): Input {
    if (depth > maxInputDepth) throw invalid("the value is nested too deeply", path);
    if (value === null || value === undefined) return this.#null(type, path);
    const inner = nullable(type);
    if (isListType(inner)) {
      const of = inner.ofType;
      if (!Array.isArray(value)) return { kind: "list", path, items: [this.#json(value, of, `${path}[0]`, depth + 1)] };
      return { kind: "list", path, items: value.map((item, index) => this.#json(item, of, `${path}[${index}]`, depth + 1)) };
    }
    if (isInputObjectType(inner)) {
      if (typeof value !== "object" || Array.isArray(value)) throw expected("an object", inner.name, kindOf(value), path);
      return this.#object(inner, Object.entries(value), path, (item, of, at) => this.#json(item, of, at, depth + 1));
    }
    if (isEnumType(inner)) {
      if (typeof value !== "string") throw expected("an enum value", inner.name, kindOf(value), path);
      return { kind: "enum", path, value: enumValue(inner, value, path) };
    }
    return { kind: "scalar", path, type: inner.name, value };
  }

  #object<Value>(
    type: GraphQLInputObjectType,
    given: readonly (readonly [string, Value])[],
    path: string,
    read: (value: Value, type: GraphQLInputType, path: string) => Input,
  ): Input {
    const fields = type.getFields();
    const seen = new Set<string>();
    const entries = given.map(([name, value]) => {
      const field = fields[name];
      if (field === undefined) throw invalid(`field '${name}' not found in type: '${type.name}'`, `${path}.${name}`);
      if (seen.has(name)) throw invalid(`field '${name}' is given more than once`, path);
      seen.add(name);
      return { field, value: read(value, field.type, `${path}.${name}`) };
    });
    for (const field of Object.values(fields)) {
      if (isRequiredInputField(field) && !seen.has(field.name)) throw invalid(`missing required field '${field.name}'`, `${path}.${field.name}`);
    }
    return { kind: "object", path, entries };
  }

  /** A literal as a JSON value; numbers keep their digits, variables inside are filled in. */
  #literal(node: ValueNode, path: string): unknown {
    switch (node.kind) {
      case Kind.INT: {
        const number = Number(node.value);
        return Number.isSafeInteger(number) ? number : BigInt(node.value);
      }
      case Kind.FLOAT:
        return json.rawJSON(node.value);
      case Kind.LIST:
        return node.values.map((value) => this.#literal(value, path));
      case Kind.OBJECT:
        return Object.fromEntries(node.fields.map(({ name, value }) => [name.value, this.#literal(value, path)]));
      case Kind.VARIABLE: {
        const definition = this.#variables.definition(node.name.value);
        if (definition === undefined) throw invalid(`unbound variable "${node.name.value}"`, path);
        const value = this.#variables.structuralValue(node.name.value);
        return value === undefined && definition.defaultValue !== undefined ? this.#literal(definition.defaultValue, path) : value ?? null;
      }
      default:
        return valueFromASTUntyped(node);
    }
  }
}

/** What an input is, as Hasura's messages name it. */
export function kindOfInput(input: Input): string {
  if (input.kind === "scalar" && rawText(input.value) !== undefined) return "a float";
  if (input.kind === "scalar") return typeof input.value === "number" || typeof input.value === "bigint" ? "an integer" : kindOf(input.value);
  const names = { null: "null", object: "an object", list: "a list", enum: "an enum value", variable: "something else" } as const;
  return names[input.kind];
}

function expected(what: string, type: string, found: string | undefined, path: string) {
  return invalid(`expected ${what} for type '${type}', but found ${found ?? "something else"}`, path);
}

function enumValue(type: GraphQLEnumType, name: string, path: string): GraphQLEnumValue {
  const value = type.getValue(name);
  if (value) return value;
  const names = type.getValues().map((known) => `'${known.name}'`);
  throw invalid(`expected one of the values [${names.join(", ")}] for type '${type.name}', but found '${name}'`, path);
}
