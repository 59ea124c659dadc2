import { buildClientSchema, getIntrospectionQuery, validateSchema, type IntrospectionQuery } from "graphql";
import { expect, test } from "vitest";
import { library, plan, sql, stateOf, type World } from "../../testing/world.ts";

const state = await stateOf(library);

function introspected(query: string): unknown {
  const [root] = plan(state, "admin", query);
  return root?.kind === "fixed" ? (JSON.parse(root.text) as unknown) : undefined;
}

test("directives and their arguments match Hasura's, in its order", () => {
  expect(
    introspected(
      "{ __schema { directives { name locations isRepeatable args { name defaultValue type { kind ofType { name } } } } } }",
    ),
  ).toEqual({
    directives: [
      ...["include", "skip"].map((name) => ({
        name,
        locations: ["FIELD", "FRAGMENT_SPREAD", "INLINE_FRAGMENT"],
        isRepeatable: false,
        args: [{ name: "if", defaultValue: null, type: { kind: "NON_NULL", ofType: { name: "Boolean" } } }],
      })),
      {
        name: "cached",
        locations: ["QUERY"],
        isRepeatable: false,
        args: [
          { name: "ttl", defaultValue: "60", type: { kind: "NON_NULL", ofType: { name: "Int" } } },
          { name: "refresh", defaultValue: "false", type: { kind: "NON_NULL", ofType: { name: "Boolean" } } },
        ],
      },
    ],
  });
});

test("sorts fields, their arguments and inputs by name", () => {
  expect(introspected('{ __type(name: "author") { fields { name args { name } } } }')).toMatchObject({
    fields: [
      { name: "articles", args: ["distinct_on", "limit", "offset", "order_by", "where"].map((name) => ({ name })) },
      { name: "articles_aggregate" },
      { name: "born" },
      { name: "email" },
      { name: "full_name" },
      { name: "hidden" },
      { name: "id" },
      { name: "name" },
      { name: "score" },
    ],
  });
});

test("a missing type, or one hidden from the role, is null", () => {
  expect(introspected('{ __type(name: "nothing") { name } }')).toBeNull();
});

test("describes introspection types as Hasura does: strings, no lists, no directive places", () => {
  expect(
    introspected('{ __type(name: "__Directive") { fields { name type { kind name ofType { name } } } } }'),
  ).toEqual({
    fields: [
      { name: "args", type: { kind: "OBJECT", name: "__InputValue", ofType: null } },
      ...["description", "isRepeatable", "locations", "name"].map((name) => ({
        name,
        type: { kind: "NON_NULL", name: null, ofType: { name: name === "isRepeatable" ? "Boolean" : "String" } },
      })),
    ],
  });
  expect(introspected('{ __type(name: "__DirectiveLocation") { name } }')).toBeNull();
  const all = introspected("{ __schema { types { name } } }") as { types: { name: string }[] };
  expect(all.types.filter(({ name }) => name.startsWith("__")).map(({ name }) => name)).toEqual([
    "__Directive",
    "__EnumValue",
    "__Field",
    "__InputValue",
    "__Schema",
    "__Type",
    "__TypeKind",
  ]);
});

test("GraphQL's own scalars and the type kinds have no descriptions, as in Hasura", () => {
  const all = introspected("{ __schema { types { name description enumValues { description } } } }") as {
    types: { name: string; description: string | null; enumValues: { description: string | null }[] | null }[];
  };
  const of = (...names: readonly string[]) => all.types.filter(({ name }) => names.includes(name));
  expect(of("Boolean", "Int", "String")).toEqual(
    ["Boolean", "Int", "String"].map((name) => ({ name, description: null, enumValues: null })),
  );
  expect(of("__TypeKind")).toEqual([
    { name: "__TypeKind", description: null, enumValues: Array.from({ length: 8 }, () => ({ description: null })) },
  ]);
  expect(introspected('{ __type(name: "author") { fields { name type { name kind description } } } }')).toMatchObject({
    fields: expect.arrayContaining([{ name: "email", type: { name: "String", kind: "SCALAR", description: null } }]),
  });
});

const everyOption = {
  descriptions: true,
  specifiedByUrl: true,
  directiveIsRepeatable: true,
  schemaDescription: true,
  inputValueDeprecation: true,
  oneOf: true,
};

/** Additional fields that graphql-js 17 requests with `experimentalDirectiveDeprecation`. */
const withDirectiveDeprecation = (query: string): string =>
  query.replace(/directives\s*\{/, "directives(includeDeprecated: true) { isDeprecated deprecationReason");

test.each([
  ["without options", getIntrospectionQuery()],
  ["with every option of graphql-js 16", getIntrospectionQuery(everyOption)],
  ["with every option of graphql-js 17", withDirectiveDeprecation(getIntrospectionQuery(everyOption))],
])("answers the introspection query %s with a schema", (_, query) => {
  const [root] = plan(state, "admin", query);
  expect(root?.kind).toBe("fixed");
  const found = root?.kind === "fixed" ? (JSON.parse(root.text) as IntrospectionQuery["__schema"]) : undefined;
  expect(found).toBeDefined();
  expect(validateSchema(buildClientSchema({ __schema: found as IntrospectionQuery["__schema"] }))).toEqual([]);
});

test("values of the current introspection fields match graphql-js", () => {
  expect(
    introspected(
      '{ __type(name: "author_bool_exp") { isOneOf specifiedByURL inputFields(includeDeprecated: true) { isDeprecated deprecationReason } } }',
    ),
  ).toMatchObject({
    isOneOf: false,
    specifiedByURL: null,
    inputFields: expect.arrayContaining([{ isDeprecated: false, deprecationReason: null }]),
  });
});

test("a column with a name that no enum value may have is a field, and no enum value", async () => {
  const flags: World = {
    tables: { flag: { columns: { id: "int4 not null", true: "text", null: "bool" }, primaryKey: ["id"] } },
    metadata: { flag: {} },
  };
  const served = await stateOf(flags);
  const ask = (query: string) => {
    const [root] = plan(served, "admin", query);
    return root?.kind === "fixed" ? (JSON.parse(root.text) as unknown) : undefined;
  };
  for (const name of ["flag_select_column", "flag_update_column"])
    expect(ask(`{ __type(name: "${name}") { enumValues { name } } }`)).toEqual({ enumValues: [{ name: "id" }] });
  expect(ask('{ __type(name: "flag") { fields { name } } }')).toEqual({
    fields: [{ name: "id" }, { name: "null" }, { name: "true" }],
  });
  const { text } = sql(served, "admin", '{ flag(where: { true: { _eq: "x" } }, order_by: { null: asc }) { true } }');
  expect(text).toContain('"true"');
});
