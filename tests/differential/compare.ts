import {
  buildClientSchema,
  getIntrospectionQuery,
  getNamedType,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  type IntrospectionQuery,
  isEnumType,
  isInputObjectType,
  isObjectType,
  lexicographicSortSchema,
} from "graphql";
import { type Answer, parseExactly, post, type Server } from "./pair.ts";

/** An answer in a form in which equal answers are equal texts: the space between the values of JSON has no meaning. */
export function canonical({ status, type, body, changes }: Answer): string {
  let parsed: unknown;
  try {
    parsed = parseExactly(body);
  } catch {
    parsed = body;
  }
  return `${status} ${type}\n${JSON.stringify(parsed)}${changes === undefined ? "" : `\n${changes}`}`;
}

/** The answer with the items of each list in one order, for requests that define none. */
export function unordered(answer: Answer): string {
  const sorted = (value: unknown): unknown => {
    if (Array.isArray(value))
      return value.map(sorted).toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, sorted(item)]));
  };
  // The audit trail numbers the rows that a mutation changes in their order.
  const changes = answer.changes
    ?.replace(/(?<=^auth\.audit_events . \{"id": )\d+/gm, "")
    .split("\n")
    .sort()
    .join("\n");
  return canonical({
    ...answer,
    body: JSON.stringify(sorted(parseExactly(answer.body))),
    ...(changes !== undefined && { changes }),
  });
}

/** The schema of one role; in alphabetical order, so that equal schemas draw equal requests. @throws if the engine answers with none */
export async function schemaOf(server: Server, role: string): Promise<GraphQLSchema> {
  const { body } = await post(server, { session: { "x-hasura-role": role }, query: getIntrospectionQuery() });
  const { data } = JSON.parse(body) as { data?: IntrospectionQuery };
  if (data === undefined) throw new Error(`role ${role}: no schema: ${body.slice(0, 400)}`);
  return lexicographicSortSchema(buildClientSchema(data));
}

/** Everything that a client can read of a schema, one fact a line. Types only of mutations are left out when `mutations` is false. */
function factsOf(schema: GraphQLSchema, mutations: boolean): ReadonlySet<string> {
  const facts = new Set<string>();
  const seen = new Set<string>();
  const state = (place: string, { description }: { readonly description?: string | null | undefined }): void =>
    void facts.add(`${place} ${JSON.stringify(description ?? null)}`);
  const input = (place: string, one: GraphQLArgument | GraphQLInputField): void => {
    const fallback = one.defaultValue === undefined ? "" : ` = ${JSON.stringify(one.defaultValue)}`;
    state(`${place}${one.name}: ${String(one.type)}${fallback}`, one);
    visit(getNamedType(one.type));
  };
  const visit = (type: GraphQLNamedType): void => {
    if (seen.has(type.name)) return;
    seen.add(type.name);
    state(`${type.constructor.name} ${type.name}`, type);
    if (isEnumType(type)) for (const value of type.getValues()) state(`${type.name}.${value.name}`, value);
    if (isInputObjectType(type)) for (const field of Object.values(type.getFields())) input(`${type.name}.`, field);
    if (!isObjectType(type)) return;
    for (const field of Object.values(type.getFields())) {
      state(`${type.name}.${field.name}: ${String(field.type)}`, field);
      for (const argument of field.args) input(`${type.name}.${field.name} `, argument);
      visit(getNamedType(field.type));
    }
  };
  const roots = [schema.getQueryType(), schema.getSubscriptionType(), mutations ? schema.getMutationType() : undefined];
  for (const root of roots) if (root) visit(root);
  for (const directive of schema.getDirectives()) {
    state(`@${directive.name} on ${directive.locations.join(", ")}`, directive);
    for (const argument of directive.args) input(`@${directive.name} `, argument);
  }
  return facts;
}

/**
 * Where Hasura's description depends on which object it reads first: a root field named like a relationship, in either place, and the
 * type of aggregated rows of a table that a function also returns. The fact without its description.
 */
const described = [
  /^((?:query|subscription)_root\.\w+: \S+) "An (?:array|aggregate) relationship"$/,
  /^(\w+\.\w+: \S+) "fetch (?:data|aggregated fields) from the table: .*"$/,
  /^(GraphQLObjectType \w+(?:_a|A)ggregate) null$/,
];
const undescribed = (fact: string): string => fact.replace(/ (?:null|".*")$/, "");

/** Facts that one of both schemas lacks. */
export function schemaDifferences(hasura: GraphQLSchema, embedded: GraphQLSchema): readonly string[] {
  const mutations = Boolean(embedded.getMutationType());
  const [one, other] = [factsOf(hasura, mutations), factsOf(embedded, mutations)];
  const elsewhere = new Set([...one].flatMap((fact) => described.flatMap((pattern) => pattern.exec(fact)?.[1] ?? [])));
  const equal = elsewhere.intersection(new Set([...other].map(undescribed)));
  const lacking = (from: ReadonlySet<string>, facts: ReadonlySet<string>): readonly string[] =>
    [...facts.difference(from)].filter((fact) => !equal.has(undescribed(fact)));
  return [
    ...lacking(other, one).map((fact) => `only Hasura: ${fact}`),
    ...lacking(one, other).map((fact) => `only embedded: ${fact}`),
  ];
}
