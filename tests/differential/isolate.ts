import {
  type ASTNode,
  type ConstValueNode,
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  isScalarType,
  Kind,
  parse,
  parseConstValue,
  print,
  typeFromAST,
  TypeInfo,
  valueFromASTUntyped,
  visit,
  visitWithTypeInfo,
} from "graphql";
import type { Call } from "./pair.ts";

const removable: ReadonlySet<string> = new Set([
  Kind.OPERATION_DEFINITION,
  Kind.FRAGMENT_DEFINITION,
  Kind.FIELD,
  Kind.INLINE_FRAGMENT,
  Kind.FRAGMENT_SPREAD,
  Kind.ARGUMENT,
  Kind.DIRECTIVE,
  Kind.OBJECT_FIELD,
  Kind.VARIABLE_DEFINITION,
]);

type Json = Readonly<Record<string, unknown>>;

/** Without the variables and fragments that the document does not use. */
export function pruned(
  document: DocumentNode,
  variables: Json,
): { readonly document: DocumentNode; readonly variables: Json } {
  const used = new Set<string>();
  visit(document, {
    VariableDefinition: () => false,
    Variable: ({ name }) => void used.add(`$${name.value}`),
    FragmentSpread: ({ name }) => void used.add(name.value),
  });
  const left = visit(document, {
    VariableDefinition: ({ variable }) => (used.has(`$${variable.name.value}`) ? undefined : null),
    FragmentDefinition: ({ name }) => (used.has(name.value) ? undefined : null),
  });
  return {
    document: left,
    variables: Object.fromEntries(Object.entries(variables).filter(([name]) => used.has(`$${name}`))),
  };
}

const scalarFillers: Readonly<Record<string, string>> = {
  Int: "1",
  Boolean: "true",
  geometry: '"POINT(0 0)"',
  geography: '"POINT(0 0)"',
  uuid: '"00000000-0000-4000-8000-000000000001"',
  date: '"2024-01-01"',
  timestamp: '"2024-01-01"',
  timestamptz: '"2024-01-01"',
  timetz: '"10:00"',
  inet: '"10.0.0.0"',
  cidr: '"10.0.0.0"',
  macaddr: '"08:00:2b:01:02:03"',
};

/** A small valid value of a type, for places that need one. */
export function fillerOf(type: GraphQLInputType): ConstValueNode {
  if (isNonNullType(type)) return fillerOf(type.ofType);
  if (isListType(type)) {
    const item = fillerOf(type.ofType);
    return { kind: Kind.LIST, values: item.kind === Kind.OBJECT ? [item] : [] };
  }
  if (isEnumType(type)) return { kind: Kind.ENUM, value: type.getValues()[0]?.name ?? "" };
  if (!isInputObjectType(type))
    return parseConstValue(scalarFillers[type.name] ?? (type.name.startsWith("_") ? '"{}"' : '"1"'));
  const all = Object.values(type.getFields());
  const required = all.filter(isRequiredInputField);
  const scalars = all.filter((field) => isScalarType(field.type));
  // A function needs all its arguments, a cursor exactly one column.
  const fields = required.length > 0 ? required : type.name.endsWith("_args") ? scalars : scalars.slice(0, 1);
  const text = fields.map((field) => `${field.name}: ${print(fillerOf(field.type))}`).join(", ");
  return parseConstValue(`{${text}}`);
}

/** A value of a session variable that rows of the worlds have; the plural names a list. */
export function usualVariable([name, value]: readonly [string, string]): readonly [string, string] {
  if (name === "x-hasura-role" || name.includes("backend")) return [name, value];
  if (name.includes("org")) return [name, "org-1"];
  return [name, name.endsWith("s") ? "{t0}" : "1"];
}

/**
 * The document without its node number `index`; the items of a list count as nodes. For arguments and fields of objects, one number
 * removes them unless they are required, and the next one, which is tried before, replaces the value by a valid one.
 */
function withoutNode(
  document: DocumentNode,
  index: number,
  schema: GraphQLSchema,
): { readonly left: DocumentNode; readonly count: number } {
  let count = 0;
  const types = new TypeInfo(schema);
  const edit = {
    enter(node: ASTNode) {
      if (node.kind === Kind.LIST) {
        const position = index - count;
        count += node.values.length;
        if (position >= 0 && position < node.values.length)
          return { ...node, values: node.values.toSpliced(position, 1) };
      }
      const takesNext = (): boolean => (count += 1) - 1 === index;
      const hasValue = node.kind === Kind.ARGUMENT || node.kind === Kind.OBJECT_FIELD;
      const type = hasValue ? types.getInputType() : undefined;
      if (removable.has(node.kind) && !(type && isNonNullType(type)) && takesNext()) return null;
      return hasValue && takesNext() && type ? { ...node, value: fillerOf(type) } : undefined;
    },
  };
  const left: DocumentNode = visit(document, visitWithTypeInfo(types, edit));
  const typename = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: "__typename" } } as const;
  // A field without a selection would be another error.
  const whole = visit(left, {
    SelectionSet: (set) => (set.selections.length === 0 ? { ...set, selections: [typename] } : undefined),
  });
  return { left: whole, count };
}

/** Keys that Hasura requires in some input objects. */
const required: ReadonlySet<string> = new Set(["where", "data", "constraint", "arguments", "predicate"]);

/** Each value that lacks one item or one key of this one; inner ones first. Required keys stay. */
function* smallerValues(value: unknown): Generator {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      for (const smaller of smallerValues(item)) yield value.with(index, smaller);
      yield value.toSpliced(index, 1);
    }
  } else if (typeof value === "object" && value !== null) {
    for (const [name, item] of Object.entries(value)) {
      for (const smaller of smallerValues(item)) yield { ...value, [name]: smaller };
      if (required.has(name)) continue;
      yield Object.fromEntries(Object.entries(value).filter(([other]) => other !== name));
    }
  }
}

/** The variables with a valid value for each of them in turn; it may stand in several places. */
function* validValues({ definitions }: DocumentNode, variables: Json, schema: GraphQLSchema): Generator<Json> {
  for (const definition of definitions)
    for (const { variable, type: node } of "variableDefinitions" in definition
      ? (definition.variableDefinitions ?? [])
      : []) {
      const { value: name } = variable.name;
      const type = typeFromAST(schema, node);
      if (!(name in variables) || !isInputType(type)) continue;
      yield { ...variables, [name]: valueFromASTUntyped(fillerOf(type)) };
    }
}

/**
 * Each request that lacks one part of this one, with the number of that part. Inner parts come first, so that required ones stay. None if
 * the document cannot be parsed.
 * @param before only parts of the document with a lower number, and before them all others if it is infinite
 */
function* smaller(
  { query, variables = {}, session, ...rest }: Call,
  before: number,
  schema: GraphQLSchema,
): Generator<readonly [number, Call]> {
  let document: DocumentNode;
  try {
    document = parse(query);
  } catch {
    return;
  }
  const call = (left: DocumentNode, values: Json, as = session): Call => ({
    ...rest,
    session: as,
    query: print(left),
    ...(Object.keys(values).length > 0 && { variables: values }),
  });
  if (before === Infinity) {
    for (const values of smallerValues(variables)) yield [before, call(document, values as Json)];
    for (const values of validValues(document, variables, schema)) yield [before, call(document, values)];
    for (const [index, given] of Object.entries(session).entries()) {
      const usual = Object.fromEntries(Object.entries(session).with(index, usualVariable(given) as [string, string]));
      if (JSON.stringify(usual) !== JSON.stringify(session)) yield [before, call(document, variables, usual)];
    }
  }
  const { count } = withoutNode(document, -1, schema);
  for (let index = Math.min(before, count) - 1; index >= 0; index -= 1) {
    const { left } = withoutNode(document, index, schema);
    if (print(left) === print(document)) continue;
    const whole = pruned(left, variables);
    const [plain, unpruned] = [call(whole.document, whole.variables), call(left, variables)];
    yield [index, plain];
    if (JSON.stringify(plain) !== JSON.stringify(unpruned)) yield [index, unpruned];
  }
}

/** Attempts for one request. */
const most = 4_000;

/** Whether both answers hold for some request that lacks parts of this one, found by removing everything that the first does not need. */
export async function standsAlone(
  call: Call,
  schema: GraphQLSchema,
  first: (smaller: Call) => Promise<boolean>,
  second: (smaller: Call) => Promise<boolean>,
): Promise<boolean> {
  let found = call;
  let before = Infinity;
  const tried = new Set<string>();
  for (let attempts = 0; attempts < most;) {
    let kept: readonly [number, Call] | undefined;
    for (const candidate of smaller(found, before, schema)) {
      const text = JSON.stringify(candidate[1]);
      if (tried.has(text)) continue;
      tried.add(text);
      attempts += 1;
      if (attempts > most) return false;
      if (!(await first(candidate[1]))) continue;
      kept = candidate;
      break;
    }
    if (kept === undefined) {
      if (before === Infinity) return false;
      before = Infinity;
      continue;
    }
    [before, found] = kept;
    if (await second(found)) return true;
  }
  return false;
}
