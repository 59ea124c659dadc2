import {
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredArgument,
  isRequiredInputField,
  isScalarType,
  Kind,
  valueFromASTUntyped,
  type ArgumentNode,
  type GraphQLArgument,
  type GraphQLEnumType,
  type GraphQLEnumValue,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type ValueNode,
} from "graphql";
import { maxInputDepth, type Spending } from "../../cost/limits.ts";
import { graphqlName } from "@routeql/metadata/naming";
import { isArray } from "../../schema/types.ts";
import { kindOf, rawText } from "../../schema/json-values.ts";
import { jsonText, scientific } from "../../schema/values.ts";
import { type EngineError, invalid, unreadable } from "../../errors.ts";
import type { Variables } from "./variables.ts";

interface Placed {
  readonly path: string;
}

/** An argument's value with a checked structure; scalars are converted once their column is known. */
export type Input =
  | (Placed & { readonly kind: "null"; readonly type: string; readonly isEnum?: boolean })
  | (Placed & {
      readonly kind: "object";
      readonly entries: readonly { readonly field: GraphQLInputField; readonly value: Input }[];
    })
  | (Placed & { readonly kind: "list"; readonly items: readonly Input[] })
  /** A list of scalars from a variable's value, none of them null: a path and an object for each would cost more than their conversion. */
  | (Placed & { readonly kind: "scalars"; readonly values: readonly unknown[] })
  | (Placed & { readonly kind: "enum"; readonly value: GraphQLEnumValue })
  | (Placed & {
      readonly kind: "scalar";
      readonly type: string;
      readonly value: unknown;
      /** From a variable's value: JSON has only numbers. */ readonly isJson?: boolean;
      /** From a name without quotes. */ readonly isName?: boolean;
    })
  /** A scalar or a list of scalars whose value is known only at execution. */
  | (Placed & {
      readonly kind: "variable";
      readonly type: string;
      readonly name: string;
      readonly defaultValue: unknown;
    });

/** Arguments that take no value of a column, and the words of Hasura for their values. */
const ownArguments: readonly (readonly [path: string, value: string])[] = [
  [".args.if", "a boolean"],
  [".__type.args.name", "a string"],
  [".args.batch_size", "a non-negative 32-bit integer"],
];

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
  return isNonNullType(type) ? type.ofType : type;
}

/** A value type's name in messages: an array has the name of its elements. */
function valueName(type: GraphQLInputType): string {
  return isArray(type) ? type.ofType.ofType.name : String(type);
}

function isScalarLike(type: GraphQLInputType): boolean {
  const inner = nullable(type);
  if (isListType(inner)) return isScalarLike(inner.ofType);
  return !isEnumType(inner) && !isInputObjectType(inner);
}

/** Cost of a list item; an object's key costs 1. A list of 49,000 items may occur once. */
const costOfItem = 0.4;
const costOfCharacter = 0.01;

/** Cost of a scalar from a variable's value. A list in it, such as that of an array, counts its items. */
function costOfScalar(value: unknown): number {
  if (typeof value === "string") return value.length * costOfCharacter;
  if (typeof value !== "object" || value === null) return 0;
  return jsonText(value).length * costOfCharacter + (Array.isArray(value) ? value.length * costOfItem : 0);
}

const json = JSON as unknown as { rawJSON(text: string): unknown };

export class InputReader {
  readonly #variables: Variables;
  readonly #spending: Spending;

  constructor(variables: Variables, spending: Spending) {
    this.#variables = variables;
    this.#spending = spending;
  }

  /** @param placeHasDefault as for {@link Variables.use} */
  read(node: ValueNode, type: GraphQLInputType, path: string, depth = 0, placeHasDefault = false): Input {
    if (depth > maxInputDepth) throw invalid("the value is nested too deeply", path);
    if (node.kind === Kind.VARIABLE) return this.#variable(node.name.value, type, path, depth, placeHasDefault);
    const inner = nullable(type);
    if (node.kind === Kind.NULL) return this.#null(type, path);
    if (isArray(inner)) return { kind: "scalar", path, type: valueName(inner), value: this.#literal(node, path) };
    if (isListType(inner)) {
      const of = inner.ofType;
      if (node.kind !== Kind.LIST) return { kind: "list", path, items: [this.read(node, of, `${path}[0]`, depth + 1)] };
      this.#spending.values(node.values.length * costOfItem, path);
      return {
        kind: "list",
        path,
        items: node.values.map((value, index) => this.read(value, of, `${path}[${index}]`, depth + 1)),
      };
    }
    if (isInputObjectType(inner)) {
      if (node.kind !== Kind.OBJECT) throw expected("an object", inner.name, nodeKinds[node.kind], path);
      const entries = node.fields.map(({ name, value }) => [name.value, value] as const);
      return this.#object(inner, entries, path, (value, { type: of, defaultValue }, at) =>
        this.read(value, of, at, depth + 1, defaultValue !== undefined),
      );
    }
    if (isEnumType(inner)) {
      if (node.kind !== Kind.ENUM) throw expected("an enum value", inner.name, nodeKinds[node.kind], path);
      return { kind: "enum", path, value: enumValue(inner, node.value, path) };
    }
    const value = this.#literal(node, path);
    return { kind: "scalar", path, type: inner.name, value, isName: node.kind === Kind.ENUM };
  }

  /** The arguments of a field or directive, in order of definition. @throws EngineError, for an undefined argument before others */
  arguments(
    { name: owner, args }: { readonly name: string; readonly args: readonly GraphQLArgument[] },
    nodes: readonly ArgumentNode[],
    path: string,
  ): ReadonlyMap<string, Input> {
    const unknown = nodes.find(({ name }) => !args.some((argument) => argument.name === name.value));
    if (unknown !== undefined) throw invalid(`'${owner}' has no argument named '${unknown.name.value}'`, path);
    const given = new Map<string, Input>();
    for (const argument of args) {
      const { name, type } = argument;
      const at = `${path}.args.${name}`;
      const node = nodes.find((each) => each.name.value === name);
      if (node !== undefined) given.set(name, this.read(node.value, type, at, 0, argument.defaultValue !== undefined));
      else if (isRequiredArgument(argument)) throw invalid(`missing required field '${name}'`, at);
    }
    return given;
  }

  /** A value that must have GraphQL's own type, where null is invalid. @throws EngineError */
  boolean(input: Input): boolean {
    return this.#native(input, "boolean", "a boolean", "Boolean");
  }

  string(input: Input): string {
    return this.#native(input, "string", "a string", "String");
  }

  integer(input: Input): number {
    const settled = this.settle(input);
    const value = settled.kind === "scalar" ? settled.value : undefined;
    if (typeof value !== "number" && typeof value !== "bigint")
      throw expected("a 32-bit integer", "Int", kindOfInput(settled), settled.path);
    if (!Number.isInteger(Number(value)) || BigInt(value) !== BigInt.asIntN(32, BigInt(value)))
      throw outsideOfIntegers(value, settled.path);
    return Number(value);
  }

  #native<Name extends "boolean" | "string">(
    input: Input,
    name: Name,
    called: string,
    type: string,
  ): Name extends "boolean" ? boolean : string {
    const settled = this.settle(input);
    const value = settled.kind === "scalar" && settled.isName !== true ? settled.value : undefined;
    if (typeof value !== name) throw expected(called, type, kindOfInput(settled), settled.path);
    return value as Name extends "boolean" ? boolean : string;
  }

  #null(type: GraphQLInputType, path: string): Input {
    if (!isNonNullType(type)) return { kind: "null", path, type: valueName(type), isEnum: isEnumType(type) };
    const inner = type.ofType;
    if (isListType(inner) && !isArray(inner)) throw invalid("expected a list, but found null", path);
    if (isInputObjectType(inner)) throw expected("an object", inner.name, "null", path);
    if (isEnumType(inner)) throw expected("an enum value", inner.name, "null", path);
    const own = ownArguments.find(([place]) => path.endsWith(place));
    if (own !== undefined) throw expected(own[1], valueName(inner), "null", path);
    throw invalid(`unexpected null value for type '${valueName(inner)}'`, path);
  }

  #variable(name: string, type: GraphQLInputType, path: string, depth: number, placeHasDefault: boolean): Input {
    const { defaultValue } = this.#variables.use(name, type, path, placeHasDefault);
    if (isScalarLike(type) && !this.#variables.eager) {
      const value: unknown = defaultValue === undefined ? null : this.#literal(defaultValue, path);
      return { kind: "variable", path, type: valueName(nullable(type)), name, defaultValue: value };
    }
    const value = this.#variables.structuralValue(name);
    if (value !== undefined) return this.#json(value, type, path, depth);
    return defaultValue === undefined ? this.#null(type, path) : this.read(defaultValue, type, path, depth + 1);
  }

  /** The value of a variable that planning requires: limits, flags and the like. */
  settle(input: Input): Input {
    if (input.kind !== "variable") return input;
    const value = this.#variables.structuralValue(input.name);
    const known = value === undefined ? input.defaultValue : value;
    return known === null || known === undefined
      ? { kind: "null", path: input.path, type: input.type }
      : { kind: "scalar", path: input.path, type: input.type, value: known, isJson: value !== undefined };
  }

  #json(value: unknown, type: GraphQLInputType, path: string, depth: number): Input {
    if (depth > maxInputDepth) throw invalid("the value is nested too deeply", path);
    if (value === null || value === undefined) return this.#null(type, path);
    const inner = nullable(type);
    if (isArray(inner)) {
      this.#spending.values(costOfScalar(value), path);
      return { kind: "scalar", path, type: valueName(inner), value, isJson: true };
    }
    if (isListType(inner)) {
      const of = inner.ofType;
      if (!Array.isArray(value)) return { kind: "list", path, items: [this.#json(value, of, `${path}[0]`, depth + 1)] };
      this.#spending.values(value.length * costOfItem, path);
      if (isScalarType(nullable(of)) && !value.includes(null)) {
        this.#spending.values(
          value.reduce<number>((sum, item) => sum + costOfScalar(item), 0),
          path,
        );
        return { kind: "scalars", path, values: value };
      }
      return {
        kind: "list",
        path,
        items: value.map((item, index) => this.#json(item, of, `${path}[${index}]`, depth + 1)),
      };
    }
    if (isInputObjectType(inner)) {
      if (typeof value !== "object" || Array.isArray(value))
        throw expected("an object", inner.name, kindOf(value), path);
      const illegal = Object.keys(value).find((name) => !graphqlName.test(name));
      if (illegal !== undefined)
        throw invalid(`variable value contains object with key "${illegal}", which is not a legal GraphQL name`, path);
      return this.#object(inner, Object.entries(value), path, (item, { type: of }, at) =>
        this.#json(item, of, at, depth + 1),
      );
    }
    if (isEnumType(inner)) {
      if (typeof value !== "string" || !graphqlName.test(value))
        throw expected("an enum value", inner.name, kindOf(value), path);
      return { kind: "enum", path, value: enumValue(inner, value, path) };
    }
    this.#spending.values(costOfScalar(value), path);
    return { kind: "scalar", path, type: inner.name, value, isJson: true };
  }

  /** Unknown and missing fields are reported before invalid values. */
  #object<Value>(
    type: GraphQLInputObjectType,
    given: readonly (readonly [string, Value])[],
    path: string,
    read: (value: Value, field: GraphQLInputField, path: string) => Input,
  ): Input {
    this.#spending.values(1 + given.length, path);
    const fields = type.getFields();
    const known = given.map(([name, value]) => {
      const field = fields[name];
      if (field === undefined) throw invalid(`field '${name}' not found in type: '${type.name}'`, `${path}.${name}`);
      return { field, value };
    });
    for (const field of Object.values(fields)) {
      if (isRequiredInputField(field) && !known.some((each) => each.field === field))
        throw invalid(`missing required field '${field.name}'`, `${path}.${field.name}`);
    }
    return {
      kind: "object",
      path,
      entries: known.map(({ field, value }) => ({ field, value: read(value, field, `${path}.${field.name}`) })),
    };
  }

  /** A literal as a JSON value. Numbers keep their digits, and nested variables are substituted. */
  #literal(node: ValueNode, path: string): unknown {
    switch (node.kind) {
      case Kind.STRING:
        this.#spending.values(node.value.length * costOfCharacter, path);
        return node.value;
      case Kind.INT: {
        const number = Number(node.value);
        return Number.isSafeInteger(number) ? number : BigInt(node.value);
      }
      case Kind.FLOAT:
        return json.rawJSON(node.value);
      case Kind.LIST:
        this.#spending.values(node.values.length * costOfItem, path);
        return node.values.map((value) => this.#literal(value, path));
      case Kind.OBJECT:
        this.#spending.values(1 + node.fields.length, path);
        return Object.fromEntries(node.fields.map(({ name, value }) => [name.value, this.#literal(value, path)]));
      case Kind.VARIABLE: {
        const definition = this.#variables.definition(node.name.value);
        if (definition === undefined) throw invalid(`unbound variable "${node.name.value}"`, path);
        const value = this.#variables.structuralValue(node.name.value);
        this.#spending.values(this.#variables.sizeOf(node.name.value) * costOfCharacter, path);
        return value === undefined && definition.defaultValue !== undefined
          ? this.#literal(definition.defaultValue, path)
          : (value ?? null);
      }
      default:
        return valueFromASTUntyped(node);
    }
  }
}

export function outsideOfIntegers(value: unknown, path: string): EngineError {
  return unreadable(
    `The value ${scientific(String(value))} lies outside the bounds or is not an integer. Maybe it is a float, or is there integer overflow?`,
    path,
  );
}

/** The kind of an input, as in Hasura's messages. */
export function kindOfInput(input: Input): string {
  if (input.kind === "scalar" && input.isName === true) return "an enum value";
  if (input.kind === "scalar" && input.isJson === true) return kindOf(input.value);
  if (input.kind === "scalar" && rawText(input.value) !== undefined) return "a float";
  if (input.kind === "scalar")
    return typeof input.value === "number" || typeof input.value === "bigint" ? "an integer" : kindOf(input.value);
  const names = {
    null: "null",
    object: "an object",
    list: "a list",
    scalars: "a list",
    enum: "an enum value",
    variable: "something else",
  } as const;
  return names[input.kind];
}

export function expected(what: string, type: string, found: string | undefined, path: string) {
  return invalid(`expected ${what} for type '${type}', but found ${found ?? "something else"}`, path);
}

function enumValue(type: GraphQLEnumType, name: string, path: string): GraphQLEnumValue {
  const value = type.getValue(name);
  if (value) return value;
  const names = type.getValues().map((known) => `'${known.name}'`);
  throw invalid(`expected one of the values [${names.join(", ")}] for type '${type.name}', but found '${name}'`, path);
}
