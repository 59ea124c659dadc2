import { describe, expect, test } from "vitest";
import { library, plan, sql, stateOf } from "../testing/world.ts";
import type { RoleSchema } from "./role-schema.ts";

const state = await stateOf(library);

describe("objects that a role may not see do not exist", () => {
  test.each([
    ["{ secret { id } }", "secret", "query_root"],
    ["{ author { email } }", "author.selectionSet.email", "author"],
    ['{ author(where: {email: {_eq: "x"}}) { id } }', "author.args.where.email", "author_bool_exp"],
    [
      "{ article(where: {author: {hidden: {_eq: true}}}) { id } }",
      "article.args.where.author.hidden",
      "author_bool_exp",
    ],
    ["{ author(order_by: {email: asc}) { id } }", "author.args.order_by[0].email", "author_order_by"],
    [
      "{ article(order_by: {author: {email: asc}}) { id } }",
      "article.args.order_by[0].author.email",
      "author_order_by",
    ],
    ["{ author_aggregate { aggregate { count } } }", "author_aggregate", "query_root"],
    ["{ author { articles_aggregate { aggregate { count } } } }", "author.selectionSet.articles_aggregate", "author"],
    [
      "{ author(order_by: {articles_aggregate: {max: {editor_id: asc}}}) { id } }",
      "author.args.order_by[0].articles_aggregate.max.editor_id",
      "article_max_order_by",
    ],
    [
      "{ author(where: {articles_aggregate: {count: {predicate: {_gt: 1}}}}) { id } }",
      "author.args.where.articles_aggregate",
      "author_bool_exp",
    ],
    ["{ author { full_name } }", "author.selectionSet.full_name", "author"],
    ['{ author(where: {full_name: {_eq: "x"}}) { id } }', "author.args.where.full_name", "author_bool_exp"],
  ])("%s", (query, place, type) => {
    expect(() => plan(state, "reader", query)).toThrow(
      expect.objectContaining({
        code: "validation-failed",
        path: `$.selectionSet.${place}`,
        message: `field '${place.split(".").at(-1) ?? ""}' not found in type: '${type}'`,
      }),
    );
  });

  test("a hidden column is no value of distinct_on", () => {
    expect(() => plan(state, "reader", "{ author(distinct_on: email) { id } }")).toThrow(
      expect.objectContaining({
        path: "$.selectionSet.author.args.distinct_on[0]",
        message: "expected one of the values ['id', 'name'] for type 'author_select_column', but found 'email'",
      }),
    );
  });

  test("does not aggregate or count a hidden column", () => {
    const message = "field 'email' not found in type: 'author_max_fields'";
    expect(() => plan(state, "counter", "{ author_aggregate { aggregate { max { email } } } }")).toThrow(message);
    expect(() => plan(state, "counter", "{ author_aggregate { aggregate { count(columns: email) } } }")).toThrow(
      "but found 'email'",
    );
  });

  test("primary key lookups need every column of the key", () => {
    expect(() => plan(state, "reader", "{ author_by_pk(id: 1) { id } }")).not.toThrow();
    expect(() => plan(state, "reader", "{ secret_by_pk(id: 1) { id } }")).toThrow("field 'secret_by_pk' not found");
  });

  test("introspection shows no trace of it", () => {
    const [root] = plan(
      state,
      "reader",
      "{ __schema { types { name fields { name } inputFields { name } enumValues { name } } } }",
    );
    const text = root?.kind === "fixed" ? root.text : "";
    expect(text).toContain("author_bool_exp");
    for (const hidden of ["email", "hidden", "secret", "aggregate_fields", "author_aggregate", "full_name"])
      expect(text).not.toContain(hidden);
  });

  test("a role without permissions has an empty schema", () => {
    const [root] = plan(state, "stranger", "{ no_queries_available }");
    expect(root?.kind).toBe("fixed");
    expect(() => plan(state, "stranger", "{ author { id } }")).toThrow(
      "field 'author' not found in type: 'query_root'",
    );
  });
});

test("a role without aggregations may order by aggregates of its visible rows, as in Hasura", () => {
  const { text } = sql(state, "reader", "{ author(order_by: {articles_aggregate: {count: desc}}) { id } }");
  expect(text).toMatch(/ORDER BY \(SELECT count\(\*\) FROM "public"\."article" AS "t\d" WHERE .*"published" = /);
});

describe("row filters", () => {
  const readerFilter = /"hidden" = \(\$\d::boolean\)/;
  test.each([
    ["the root", "{ author { id } }"],
    ["a primary key lookup", "{ author_by_pk(id: 1) { id } }"],
    ["a nested object", "{ article { author { id } } }"],
    ["a nested where", "{ article(where: {author: {id: {_eq: 1}}}) { id } }"],
    ["a nested order_by", "{ article(order_by: {author: {name: asc}}) { id } }"],
  ])("apply to %s", (_where, query) => {
    expect(sql(state, "reader", query).text).toMatch(readerFilter);
  });

  test.each([
    ["aggregates", "{ article_aggregate { aggregate { count } } }", 1],
    ["nodes of aggregates", "{ article_aggregate { nodes { id } } }", 1],
    ["aggregates of a relationship", "{ author { articles_aggregate { aggregate { count } } } }", 1],
    ["an order by aggregates", "{ author(order_by: {articles_aggregate: {count: desc}}) { id } }", 1],
    ["a condition on aggregates", "{ author(where: {articles_aggregate: {count: {predicate: {_gt: 1}}}}) { id } }", 1],
    ["a function's rows", '{ search_articles(args: {term: "x"}) { id } }', 1],
  ])("apply to %s", (_where, query, times) => {
    expect(sql(state, "counter", query).text.match(/"published" = /g)).toHaveLength(times);
  });

  test("take session variables as parameters", () => {
    const { text, values } = sql(state, "self", "{ author { id email } }");
    expect(text).toContain(`("t1"."id" = ($1::integer))`);
    expect(values).toEqual(["x-hasura-user-id"]);
  });
});

describe("row limits", () => {
  test.each([
    ["{ author { id } }", "LIMIT 50"],
    ["{ author(limit: 3) { id } }", "LIMIT 3"],
    ["{ author(limit: 1000) { id } }", "LIMIT 50"],
    ["{ author { articles { id } } }", "LIMIT 10"],
  ])("%s has %s", (query, limit) => {
    expect(sql(state, "reader", query).text).toContain(limit);
  });

  test("limit the nodes of aggregates but not the aggregates", () => {
    const { text } = sql(state, "counter", "{ author_aggregate { aggregate { count } nodes { id } } }");
    expect(text.match(/LIMIT 5/g)).toHaveLength(1);
    expect(sql(state, "counter", "{ author_aggregate { aggregate { count } } }").text).not.toContain("LIMIT");
  });
});

const inherited = await stateOf({
  ...library,
  root: { inherited_roles: [{ role_name: "both", role_set: ["reader", "self"] }] },
});

describe("inherited roles", () => {
  test("include the rows of every parent role", () => {
    const { text } = sql(inherited, "both", "{ author { id } }");
    expect(text).toContain(`WHERE (("t1"."hidden" = ($1::boolean)) OR ("t1"."id" = ($2::integer)))`);
  });

  test("show a cell only in rows of parents that grant it, in every use", () => {
    const cell = /CASE WHEN \("t\d"\."id" = \(\$\d::integer\)\) THEN "t\d"\."email" END/;
    expect(sql(inherited, "both", "{ author { email } }").text).toMatch(cell);
    expect(sql(inherited, "both", '{ author(where: {email: {_eq: "x"}}) { id } }').text).toMatch(cell);
    expect(sql(inherited, "both", "{ author(order_by: {email: asc}) { id } }").text).toMatch(cell);
  });

  test("have nullable columns if a parent does not grant them", async () => {
    const author = {
      ...library.metadata["author"],
      select_permissions: [
        { role: "a", permission: { columns: ["id"], filter: {} } },
        { role: "b", permission: { columns: ["id", "hidden"], filter: {} } },
      ],
    };
    const world = await stateOf({
      ...library,
      metadata: { ...library.metadata, author },
      root: { inherited_roles: [{ role_name: "ab", role_set: ["a", "b"] }] },
    });
    const [root] = plan(world, "ab", '{ __type(name: "author") { fields { name type { kind } } } }');
    expect(root?.kind === "fixed" ? JSON.parse(root.text) : undefined).toEqual({
      fields: [
        { name: "hidden", type: { kind: "SCALAR" } },
        { name: "id", type: { kind: "NON_NULL" } },
      ],
    });
    expect(sql(world, "ab", "{ author { hidden } }").text).not.toContain("CASE");
  });

  test("have the largest limit of their parents", () => {
    expect(sql(inherited, "both", "{ author { id } }").text).toContain("LIMIT 50");
  });

  test("find rows by a key with hidden cells, but no row whose own key is hidden", async () => {
    const named = { role: "named", permission: { columns: ["name"], filter: {} } };
    const self = { role: "self", permission: { columns: "*", filter: { id: "X-Hasura-User-Id" } } };
    const author = { ...library.metadata["author"], select_permissions: [self, named] };
    const world = await stateOf({
      ...library,
      metadata: { ...library.metadata, author },
      root: { inherited_roles: [{ role_name: "keyless", role_set: ["self", "named"] }] },
    });
    expect(sql(world, "keyless", "{ author_by_pk(id: 1) { id } }").text).toMatch(
      /\(CASE WHEN \("t1"\."id" = \(\$\d::integer\)\) THEN "t1"\."id" END\) = \(\$\d::integer\)/,
    );
  });

  test("consist of roles with permissions, or of inherited ones", async () => {
    const lost = [{ role_name: "both", role_set: ["reader", "nobody", "none"] }];
    const reason =
      'the following parent role(s) are not found: nobody, none which are required to construct the inherited role: "both"';
    await expect(stateOf({ ...library, root: { inherited_roles: lost } })).rejects.toThrow(reason);
    const known = [
      { role_name: "both", role_set: ["reader", "self"] },
      { role_name: "more", role_set: ["both", "counter"] },
    ];
    await expect(stateOf({ ...library, root: { inherited_roles: known } })).resolves.toBeDefined();
  });

  test("have their own permissions with an empty set", async () => {
    const world = await stateOf({ ...library, root: { inherited_roles: [{ role_name: "reader", role_set: [] }] } });
    expect(sql(world, "reader", "{ author { id } }").text).toContain("LIMIT 50");
  });

  test("reject cycles", async () => {
    const circle = [
      { role_name: "a", role_set: ["b"] },
      { role_name: "b", role_set: ["a"] },
    ];
    await expect(stateOf({ ...library, root: { inherited_roles: circle } })).rejects.toThrow("its roles form a cycle");
  });
});

test("a table without visible columns still offers __typename and row counts", async () => {
  const blind = { role: "blind", permission: { columns: [], filter: {}, allow_aggregations: true } };
  const world = await stateOf({
    ...library,
    metadata: { ...library.metadata, secret: { select_permissions: [blind] } },
  });
  expect(() =>
    plan(
      world,
      "blind",
      "{ secret(where: {}, order_by: {}, limit: 1) { __typename } secret_aggregate { aggregate { count } nodes { __typename } } }",
    ),
  ).not.toThrow();
  expect(() => plan(world, "blind", "{ secret { id } }")).toThrow("field 'id' not found in type: 'secret'");
  expect(() => plan(world, "blind", "{ secret(distinct_on: id) { __typename } }")).toThrow(
    "'secret' has no argument named 'distinct_on'",
  );
});

test("a relationship to rows without visible columns has no predicate of their aggregates", async () => {
  const seen = { role: "blind", permission: { columns: ["id"], filter: {} } };
  const blind = { role: "blind", permission: { columns: [], filter: {}, allow_aggregations: true } };
  const { author, article } = library.metadata;
  const world = await stateOf({
    ...library,
    metadata: {
      author: { ...author, select_permissions: [seen] },
      article: { ...article, select_permissions: [blind] },
    },
  });
  expect(() =>
    plan(world, "blind", "{ author(where: {articles: {}}) { articles_aggregate { aggregate { count } } } }"),
  ).not.toThrow();
  expect(() =>
    plan(world, "blind", "{ author(where: {articles_aggregate: {count: {predicate: {_eq: 1}}}}) { id } }"),
  ).toThrow("field 'articles_aggregate' not found in type: 'author_bool_exp'");
});

test("a change without a select permission filters by aggregates of visible related rows alone", async () => {
  const { select_permissions: _seen, ...author } = library.metadata["author"]!;
  const article = {
    ...library.metadata["article"],
    select_permissions: [{ role: "cleaner", permission: { columns: ["id"], filter: {}, allow_aggregations: true } }],
    update_permissions: [{ role: "clerk", permission: { columns: ["title"], filter: {}, check: null } }],
  };
  const cleaning = [{ role: "cleaner", permission: { filter: {} } }];
  const world = await stateOf({
    ...library,
    metadata: { ...library.metadata, article, author: { ...author, delete_permissions: cleaning } },
  });
  const filters = (role: string, type: string): unknown => {
    const [root] = plan(world, role, `{ __type(name: "${type}") { inputFields { name } } }`);
    const { inputFields } = JSON.parse(root?.kind === "fixed" ? root.text : "{}") as {
      inputFields: { name: string }[];
    };
    return inputFields.map(({ name }) => name);
  };
  expect(filters("clerk", "article_bool_exp")).toEqual(["_and", "_not", "_or"]);
  expect(filters("cleaner", "author_bool_exp")).toEqual(["_and", "_not", "_or", "articles_aggregate"]);
});

test("rejects two permissions of a role on a table, and one for admin", async () => {
  const permission = { permission: { columns: [], filter: {} } };
  const world = {
    ...library,
    metadata: {
      ...library.metadata,
      secret: {
        select_permissions: [
          { role: "a", ...permission },
          { role: "a", ...permission },
          { role: "admin", ...permission },
        ],
      },
    },
  };
  await expect(stateOf(world)).rejects.toThrow(/two select permissions[\s\S]*remove its permission/);
});

test("functions need a permission of their own unless it is inferred", async () => {
  const strict = await stateOf(library, { inferFunctionPermissions: false });
  expect(() => plan(strict, "counter", '{ search_articles(args: {term: "x"}) { id } }')).toThrow(
    "field 'search_articles' not found",
  );
  const granted = await stateOf(
    { ...library, trackedFunctions: [{ function: "search_articles", permissions: [{ role: "counter" }] }] },
    { inferFunctionPermissions: false },
  );
  expect(() => plan(granted, "counter", '{ search_articles(args: {term: "x"}) { id } }')).not.toThrow();
});

test("query_root_fields and subscription_root_fields remove only root fields", async () => {
  const permission = {
    columns: ["id", "name"],
    filter: {},
    query_root_fields: ["select_by_pk"],
    subscription_root_fields: [],
  };
  const author = { ...library.metadata["author"], select_permissions: [{ role: "reader", permission }] };
  const limited = await stateOf({ ...library, metadata: { ...library.metadata, author } });
  expect(() => plan(limited, "reader", "{ author { id } }")).toThrow("field 'author' not found");
  expect(() => plan(limited, "reader", "{ author_by_pk(id: 1) { id } }")).not.toThrow();
  expect(() => plan(limited, "reader", "{ article { author { id } } }")).not.toThrow();
  expect(Object.keys(limited.schema("reader").subscription?.getFields() ?? {})).toEqual([
    "article",
    "article_by_pk",
    "article_stream",
    "search_articles",
  ]);
});

describe("rejects root fields that contradict the rest of the permission", () => {
  const recent = { arguments: [{ name: "author_row", type: "author" }], returns: { table: "article", set: true } };
  const author = (permission: object) => ({
    ...library,
    functions: { ...library.functions, recent_articles: recent },
    metadata: {
      ...library.metadata,
      author: {
        computed_fields: [{ name: "recent_articles", definition: { function: "recent_articles" } }],
        select_permissions: [{ role: "reader", permission: { filter: {}, ...permission } }],
      },
    },
  });

  test.each<[string, object, string]>([
    [
      "the root field by primary key without its columns",
      { columns: ["name"], query_root_fields: ["select", "select_by_pk"] },
      'permission.query_root_fields[1]: The "select_by_pk" field cannot be included in the query_root_fields or subscription_root_fields because the role "reader" does not have access to the primary key of the table "public.author" in the source "default"',
    ],
    [
      "the root field of aggregates without allow_aggregations",
      { columns: "*", subscription_root_fields: ["select_aggregate"] },
      'permission.subscription_root_fields[0]: The "select_aggregate" root field can only be enabled',
    ],
    [
      "a computed field that gives rows",
      { columns: "*", computed_fields: ["recent_articles"] },
      'permission.computed_fields[0]: select permissions on computed field "recent_articles" are auto-derived from the permissions on its returning table "public.article" and cannot be specified manually',
    ],
  ])("%s", async (_what, permission, reason) => {
    await expect(stateOf(author(permission))).rejects.toThrow(reason);
  });

  test("accepts them with their columns and allow_aggregations", async () => {
    const roots = {
      query_root_fields: ["select_by_pk", "select_aggregate"],
      subscription_root_fields: ["select_by_pk"],
    };
    await expect(stateOf(author({ columns: ["id"], allow_aggregations: true, ...roots }))).resolves.toBeDefined();
    await expect(stateOf(author({ columns: "*", allow_aggregations: true, ...roots }))).resolves.toBeDefined();
  });
});

test("removes conditions on aggregates and streams from the schema with Hasura's features", async () => {
  const asked = "{ author(where: {articles_aggregate: {count: {predicate: {_gt: 1}}}}) { id } }";
  expect(() => plan(state, "counter", asked)).not.toThrow();
  const hidden = await stateOf(library, { hideAggregationPredicates: true, hideStreams: true });
  expect(() => plan(hidden, "counter", asked)).toThrow(
    "field 'articles_aggregate' not found in type: 'author_bool_exp'",
  );
  expect(() =>
    plan(hidden, "counter", "{ author(order_by: {articles_aggregate: {count: asc}}) { id } }"),
  ).not.toThrow();
  const streams = ({ subscription }: RoleSchema) =>
    Object.keys(subscription?.getFields() ?? {}).filter((name) => name.endsWith("_stream"));
  expect([streams(state.schema("reader")), streams(hidden.schema("reader"))]).toEqual([
    ["article_stream", "author_stream"],
    [],
  ]);
});

test("introspection can be disabled for a role, which keeps its queries and __typename", async () => {
  const silent = await stateOf({
    ...library,
    root: { graphql_schema_introspection: { disabled_for_roles: ["reader"] } },
  });
  expect(() => plan(silent, "reader", "{ __schema { queryType { name } } }")).toThrow(
    expect.objectContaining({ code: "not-supported", message: 'introspection is disabled for role: "reader"' }),
  );
  expect(() => plan(silent, "reader", "{ __typename author { __typename id } }")).not.toThrow();
  expect(() => plan(silent, "counter", "{ __schema { queryType { name } } }")).not.toThrow();
});
