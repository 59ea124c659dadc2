import {
  type ASTVisitor,
  type ConstValueNode,
  type DocumentNode,
  type FieldNode,
  getNamedType,
  getNullableType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type InlineFragmentNode,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isListType,
  isObjectType,
  isScalarType,
  Kind,
  type ObjectValueNode,
  type SelectionNode,
  parse,
  print,
  TypeInfo,
  type ValueNode,
  visit,
  visitWithTypeInfo,
} from "graphql";
import { fillerOf, pruned } from "./isolate.ts";
import type { Call } from "./pair.ts";

/** A difference between both engines that stays. It explains a request only if both engines answer the request without it equally. */
export interface Known {
  readonly name: string;
  readonly reason: string;
  /** The request without the construct; undefined if it has none. */
  without(call: Call, schema: GraphQLSchema): Call | undefined;
}

/** Edits a document with the types of its fields. Undefined without a change. */
function edited(
  { query, variables = {}, ...rest }: Call,
  schema: GraphQLSchema,
  edit: (types: TypeInfo) => ASTVisitor,
): Call | undefined {
  let document: DocumentNode;
  try {
    document = parse(query);
  } catch {
    return undefined;
  }
  const types = new TypeInfo(schema);
  const changed = visit(document, visitWithTypeInfo(types, edit(types)));
  if (changed === document) return undefined;
  const left = pruned(changed, variables);
  return {
    ...rest,
    query: print(left.document),
    ...(Object.keys(left.variables).length > 0 && { variables: left.variables }),
  };
}

const nameNode = (value: string) => ({ kind: Kind.NAME, value }) as const;

const single = (name: string, value: ValueNode): ObjectValueNode => ({
  kind: Kind.OBJECT,
  fields: [{ kind: Kind.OBJECT_FIELD, name: nameNode(name), value }],
});

/** A JSON value of an order as a literal. */
function orderNode(value: unknown): ConstValueNode {
  if (Array.isArray(value)) return { kind: Kind.LIST, values: value.map(orderNode) };
  if (typeof value === "string") return { kind: Kind.ENUM, value };
  if (typeof value !== "object" || value === null) return { kind: Kind.NULL };
  const fields = Object.entries(value).map(([name, item]) => ({
    kind: Kind.OBJECT_FIELD,
    name: nameNode(name),
    value: orderNode(item),
  }));
  return { kind: Kind.OBJECT, fields } as ConstValueNode;
}

/** The items of an order, each with one key. */
function orderItems(value: ValueNode | undefined, variables: Readonly<Record<string, unknown>>): readonly ValueNode[] {
  if (value === undefined) return [];
  if (value.kind === Kind.VARIABLE) return orderItems(orderNode(variables[value.name.value]), {});
  if (value.kind === Kind.LIST) return value.values.flatMap((item) => orderItems(item, variables));
  if (value.kind !== Kind.OBJECT) return [];
  return value.fields.flatMap(({ name: { value: name }, value: given }) => {
    const item = given.kind === Kind.VARIABLE ? orderNode(variables[given.name.value]) : given;
    if (item.kind !== Kind.OBJECT) return [single(name, given)];
    return orderItems(item, variables).map((inner) => single(name, inner));
  });
}

/** Names in both conventions. */
const isOrder = (name: string): boolean => name === "order_by" || name === "orderBy";
const isDistinct = (name: string): boolean => name === "distinct_on" || name === "distinctOn";

/** Rewrites the order of each list of rows. */
function reordered(
  call: Call,
  schema: GraphQLSchema,
  order: (given: readonly ValueNode[], field: FieldNode, types: TypeInfo) => readonly ValueNode[],
): Call | undefined {
  return edited(call, schema, (types) => ({
    Field: (field) => {
      const accepted = types.getFieldDef()?.args.find(({ name }) => isOrder(name));
      if (accepted === undefined) return undefined;
      const given = field.arguments?.find(({ name }) => isOrder(name.value));
      const items = order(orderItems(given?.value, call.variables ?? {}), field, types);
      const value: ValueNode = { kind: Kind.LIST, values: items };
      if (given === undefined && items.length === 0) return undefined;
      if (given !== undefined && print(given.value) === print(value)) return undefined;
      const others = (field.arguments ?? []).filter((argument) => argument !== given);
      const argument = { kind: Kind.ARGUMENT, name: nameNode(accepted.name), value } as const;
      return { ...field, arguments: items.length === 0 ? others : [...others, argument] };
    },
  }));
}

/** Types whose values have an order. */
const ordered: ReadonlySet<string> = new Set(
  "Int String Boolean Float smallint bigint numeric timestamp timestamptz date inet cidr uuid citext".split(" "),
);

/** Columns of the rows of a field that have an order. */
function orderedColumns(types: TypeInfo): readonly string[] {
  const input = orderType(types);
  const row = rowTypeOf(types);
  if (!isInputObjectType(input) || !isObjectType(row)) return [];
  return Object.values(input.getFields()).flatMap(({ name, type }) => {
    const column = row.getFields()[name]?.type;
    const scalar = column === undefined ? undefined : getNullableType(column);
    return isEnumType(getNamedType(type)) && isScalarType(scalar) && ordered.has(scalar.name) ? [name] : [];
  });
}

/** The type of the rows of a field, also of an aggregate's. */
function rowTypeOf(types: TypeInfo) {
  const type = types.getType();
  const named = type ? getNamedType(type) : undefined;
  const nodes = isObjectType(named) ? named.getFields()["nodes"] : undefined;
  return nodes === undefined ? named : getNamedType(nodes.type);
}

/** The type of an order of rows: of the field's argument. */
function orderType(types: TypeInfo): GraphQLNamedType | undefined {
  const argument = types.getFieldDef()?.args.find(({ name }) => isOrder(name));
  return argument && getNamedType(argument.type);
}

const aggregates = /_?(?:aggregate|max|min|sum|avg|stddev(?:_?pop|_?samp)?|var(?:_?pop|_?samp)|variance)$/i;

/** Whether an order with one key uses an array column. A role may order by aggregates that it cannot select, so types of orders name the rows. */
function usesArray(item: ValueNode, order: GraphQLNamedType | undefined, schema: GraphQLSchema): boolean {
  if (item.kind !== Kind.OBJECT || !isInputObjectType(order)) return false;
  const name = order.name.replace(/_order_by$|OrderBy$/, "");
  const row = schema.getType(name) ?? schema.getType(name.replace(aggregates, ""));
  return item.fields.some(({ name: { value: key }, value }) => {
    const column = isObjectType(row) ? row.getFields()[key]?.type : undefined;
    const inner = order.getFields()[key]?.type;
    return value.kind === Kind.OBJECT
      ? usesArray(value, inner && getNamedType(inner), schema)
      : column !== undefined && isListType(getNullableType(column));
  });
}

const typename = { kind: Kind.FIELD, name: nameNode("__typename") } as const;

function namesIn(given: ValueNode): readonly string[] {
  const values = given.kind === Kind.LIST ? given.values : [given];
  return values.flatMap((value) => (value.kind === Kind.ENUM ? [value.value] : []));
}

function distinctColumns(field: FieldNode): readonly string[] {
  const given = field.arguments?.find(({ name }) => isDistinct(name.value))?.value;
  return given === undefined ? [] : namesIn(given);
}

/** The request with all arguments of functions; undefined without a change. */
export function withArguments(call: Call, schema: GraphQLSchema): Call | undefined {
  return edited(call, schema, (types) => ({
    ObjectValue: (value) => {
      const type = types.getInputType() ? getNamedType(types.getInputType()!) : undefined;
      if (!isInputObjectType(type) || !type.name.endsWith("_args")) return undefined;
      const filler = fillerOf(type);
      const missing =
        filler.kind !== Kind.OBJECT
          ? []
          : filler.fields.filter(({ name }) => !value.fields.some((field) => field.name.value === name.value));
      // In front, because a proof removes the last parts of a request first.
      return missing.length === 0 ? undefined : { ...value, fields: [...missing, ...value.fields] };
    },
  }));
}

export const known: readonly Known[] = [
  {
    name: "keyword without a space",
    reason: "Hasura reads `queryx {` as `query x {`. The embedded engine follows the specification of GraphQL.",
    without: (call) => {
      const query = call.query.replace(/^(query|mutation|subscription)(?=\w)/, "$1 ");
      return query === call.query ? undefined : { ...call, query };
    },
  },
  {
    name: "`__typename` beside several changes",
    reason:
      "Hasura then runs each root field in its own transaction. The embedded engine keeps one transaction for all.",
    without: (call, schema) =>
      edited(call, schema, (types) => ({
        Field: (field) =>
          field.name.value === "__typename" && types.getParentType() === schema.getMutationType() ? null : undefined,
      })),
  },
  {
    name: "subscription whose only field is skipped",
    reason:
      "Hasura completes it without an answer. The embedded engine rejects it, as the specification of GraphQL requires.",
    without: (call, schema) =>
      edited(call, schema, (types) => {
        const undirected = (node: SelectionNode) =>
          types.getParentType() === schema.getSubscriptionType() && (node.directives?.length ?? 0) > 0
            ? { ...node, directives: [] }
            : undefined;
        // The fields of a fragment on another type are skipped too.
        const InlineFragment = (node: InlineFragmentNode) =>
          types.getParentType() === schema.getSubscriptionType() && node.typeCondition !== undefined
            ? { kind: node.kind, selectionSet: node.selectionSet }
            : undirected(node);
        return { Field: undirected, InlineFragment, FragmentSpread: undirected };
      }),
  },
  {
    name: "end of a stream's batch between rows with one value of the cursor",
    reason: "The request leaves open which of these rows the batch has.",
    without: (call, schema) =>
      edited(call, schema, () => ({
        Argument: (argument) =>
          /^batch_?size$/i.test(argument.name.value) && print(argument.value) !== "1000"
            ? { ...argument, value: { kind: Kind.INT, value: "1000" } }
            : undefined,
      })),
  },
  {
    name: "several keys in one object of `order_by`",
    reason: "The embedded engine applies them in the order of the query, Hasura in an order of its own.",
    without: (call, schema) => reordered(call, schema, (given) => given),
  },
  {
    name: "order of related or aggregated rows by an array",
    reason: "For a role with a row limit, Hasura's statement flattens the arrays: rows are null, or it fails.",
    without: (call, schema) => {
      const isBelow = (types: TypeInfo): boolean => {
        const type = types.getType();
        const isAggregate = type !== undefined && type !== null && getNamedType(type) !== rowTypeOf(types);
        return (
          isAggregate || ![schema.getQueryType(), schema.getSubscriptionType()].includes(types.getParentType() as never)
        );
      };
      // Hasura orders by the columns of `distinct_on` first.
      const distinct = edited(call, schema, (types) => ({
        Argument: ({ name, value }) => {
          const row = rowTypeOf(types);
          const columns = isDistinct(name.value) && isObjectType(row) && isBelow(types) ? namesIn(value) : [];
          const isArray = (column: string) =>
            isListType(getNullableType((row as GraphQLObjectType).getFields()[column]?.type));
          return columns.some(isArray) ? null : undefined;
        },
      }));
      const order = reordered(distinct ?? call, schema, (given, _field, types) =>
        isBelow(types) ? given.filter((item) => !usesArray(item, orderType(types), schema)) : given,
      );
      return order ?? distinct;
    },
  },
  {
    name: "one aggregate of a relationship twice in an order",
    reason: "Hasura's statement then names a column twice and fails.",
    without: (call, schema) =>
      reordered(call, schema, (given) => {
        const seen = new Set<string>();
        return given.filter((item) => {
          const keys = print(item).replace(/\b(?:asc|desc)(?:_nulls_\w+)?\b|null|\$\w+/gi, "");
          return !/_aggregate|Aggregate/.test(keys) || (!seen.has(keys) && seen.add(keys));
        });
      }),
  },
  {
    name: "order of an aggregate without rows",
    reason: "The embedded engine leaves it out, so a condition behind it cannot fail.",
    without: (call, schema) =>
      reordered(call, schema, (given, { selectionSet }, types) => {
        const isAggregate = rowTypeOf(types) !== (types.getType() ? getNamedType(types.getType()!) : undefined);
        const selected = JSON.stringify(
          selectionSet?.selections.map((one) => (one.kind === Kind.FIELD ? one.name.value : "…")),
        );
        return isAggregate && !/nodes|…/.test(selected) ? [] : given;
      }),
  },
  {
    name: "omitted argument of a function",
    reason: "Hasura reads the variables of the other arguments first.",
    without: withArguments,
  },
  {
    name: "list of arrays in a live query's `_in`",
    reason: "It always fails: Hasura reads the whole list as one array, the embedded engine each item.",
    without: (call, schema) =>
      call.query.startsWith("subscription")
        ? edited(call, schema, (types) => ({
            ObjectField: ({ name }) => {
              const list = types.getInputType();
              const item = isListType(list) ? getNullableType(list.ofType) : undefined;
              return /^_n?in$/.test(name.value) && isListType(item) ? null : undefined;
            },
          }))
        : undefined,
  },
  {
    name: "sum of a column of the type real",
    reason: "It depends on the order of the rows.",
    without: (call, schema) =>
      edited(call, schema, (types) => ({
        Field: () =>
          types.getParentType()?.name.endsWith("_sum_fields") && types.getType()?.toString() === "Float"
            ? null
            : undefined,
        SelectionSet: {
          leave: (set) => (set.selections.length === 0 ? { ...set, selections: [typename] } : undefined),
        },
      })),
  },
  {
    name: "aggregate of a relationship without any aggregated value",
    reason: "Hasura's statement for it repeats or loses the rows above.",
    without: (call, schema) =>
      edited(call, schema, (types) => ({
        SelectionSet: (set) => {
          const parent = types.getParentType();
          const isAggregate = isObjectType(parent) && /_aggregate$|Aggregate$/.test(parent.name);
          const has = set.selections.some(
            (item) => item.kind === Kind.FIELD && item.name.value === "__typename" && item.directives?.length === 0,
          );
          return isAggregate && !has ? { ...set, selections: [...set.selections, typename] } : undefined;
        },
      })),
  },
  {
    name: "rows without a full order",
    reason: "The request leaves open which rows a limit, an offset or `distinct_on` selects, and their order.",
    without: (call, schema) =>
      reordered(call, schema, (given, field, types) => {
        const first = given.length === 0 ? distinctColumns(field) : [];
        const names = new Set([...first, ...orderedColumns(types)]);
        const type = orderType(types);
        const value = type?.name.endsWith("OrderBy") === true ? "ASC" : "asc";
        return [...given, ...[...names].map((name) => single(name, { kind: Kind.ENUM, value }))];
      }),
  },
];

/** Parts of an answer's text that differ, with the reason. */
export const knownTexts: readonly (readonly [RegExp, string | ((...found: string[]) => string), string])[] = [
  [/, at most \d+ for this role/g, "", "the embedded engine adds the limit of the role to the description"],
  [
    /(?<=(?:variables in variableValues: |key constraint on columns |object relationship \\"\w+\\" as |one of the values \[|multiple operators: \[))(?:(?:\w|\\"|')+(?:, )?)+/g,
    (names = "") => names.split(", ").sort().join(", "),
    "Hasura lists several names in an order of its own",
  ],
  [
    /(?<="number":"-?)(?=[\d.]{15,20}"|[\d.]{15,19}e)\d+\.\d+/g,
    (number = "") => String(Number(Number(number).toPrecision(13))),
    "sums of floating-point numbers depend on the order of rows",
  ],
  [
    /(?:\\")?(x-hasura-use-backend-only-permissions)(?:\\")?(?=: {2}Not)/g,
    "$1",
    "Hasura 2.43 quotes the name of the header, later versions do not",
  ],
  [
    /value \\"-?\d+\.\d\d\\" is out of range for type money|invalid input syntax for type money: \\"-?[\d.]+e\d+\\"/g,
    "bigint out of range",
    "Hasura passes single numbers for the type money as numeric, the embedded engine as text",
  ],
  [
    /(?<="code":"data-exception"\}\}\]\})(?:\n\S+ \d+(?:true|false))+$/g,
    "",
    "Hasura passes every value as a parameter. The embedded engine passes lists of them, so rows before a failing one take numbers of sequences.",
  ],
  [
    /(?<=(?: already (?:being )?determined[^\n]*"code":"validation-failed"|\.\w+\.data[^"\n]*","code":"constraint-violation")\}\}\]\})(?:\n\S+ \d+(?:true|false))+$/g,
    "",
    "Hasura inserts the rows of several relationships in an order of its own, so others take numbers of sequences before one fails.",
  ],
];

/** Facts of a schema that differ, with the reason. */
export const knownFacts: readonly (readonly [RegExp, string])[] = [
  [
    / limit: Int "limit the number of rows returned/,
    "the embedded engine adds the limit of the role to the description",
  ],
  [
    /(?:_c|C)onstraint\.\w+ "unique or primary key constraint on columns /,
    "Hasura lists the columns of a constraint in an order of its own",
  ],
  [/jsonb_?comparison_?exp\._jsonb_?path_?(?:exists|match)/i, "Hasura 2.43 does not have these operators"],
];
