import { describe, expect, test } from "vitest";
import { library, plan, planLive, sql, stateOf } from "../testing/world.ts";
import { readOperation } from "./document/document.ts";

const state = await stateOf(library);

/** Query, path and message as in Hasura, and variables; clients may depend on code and path. A path without `$` is below the selection. */
type Refused = readonly [query: string, path: string, message: string, variables?: Record<string, unknown>];
const whole = (path: string): string => (path.startsWith("$") ? path : `$.selectionSet.${path}`);

const refused: readonly Refused[] = [
  ["{", "$.query", "not a valid graphql query"],
  [
    "query a { author { id } } query b { author { id } }",
    "$",
    "exactly one operation has to be present in the document when operationName is not specified",
  ],
  [
    "{ author { ...A } } fragment A on author { articles { ...B } } fragment B on article { author { ...A } }",
    "author.selectionSet.A.selectionSet.articles.selectionSet.B.selectionSet.author.selectionSet",
    "the fragment definition(s) A and B form a cycle",
  ],
  ["{ author { ...A } }", "author.selectionSet", 'reference to undefined fragment "A"'],
  ["{ author { id @exclude(if: true) } }", "author.selectionSet", "directive 'exclude' is not defined in the schema"],
  [
    "{ author { id @skip(if: true) @skip(if: true) } }",
    "author.selectionSet",
    "the following directives are used more than once: skip",
  ],
  ["query @include(if: true) { author { id } }", "$", "directive 'include' is not allowed on a query"],
  [
    "{ author { id: name id } }",
    "author.selectionSet",
    "selection of both 'name' and 'id' specify the same response name, 'id'",
  ],
  [
    "{ a: author(limit: 1) { id } a: author(limit: 2) { id } }",
    "$.selectionSet",
    "inconsistent arguments between multiple selections of field 'author'",
  ],
  ["{ author_aggregate }", "author_aggregate.selectionSet", "missing selection set for 'author_aggregate'"],
  ["{ author { id { x } } }", "author.selectionSet.id", "unexpected subselection set for non-object field"],
  ["{ author(first: 1) { id } }", "author", "'author' has no argument named 'first'"],
  ["{ author_by_pk { id } }", "author_by_pk.args.id", "missing required field 'id'"],
  [
    "{ author(limit: -1) { id } }",
    "author.args.limit",
    "expected a non-negative 32-bit integer for type 'Int', but found an integer",
  ],
  [
    "{ author(offset: 1.5) { id } }",
    "author.args.offset",
    "expected a 32-bit integer, or a 64-bit integer represented as a string for type 'Int', but found a float",
  ],
  ["{ author(where: {id: {_eq: null}}) { id } }", "author.args.where.id._eq", "unexpected null value for type 'Int'"],
  [
    "{ author(where: {id: null}) { id } }",
    "author.args.where.id",
    "expected an object for type 'Int_comparison_exp', but found null",
  ],
  [
    "{ author(order_by: {id: up}) { id } }",
    "author.args.order_by[0].id",
    "expected one of the values ['asc', 'asc_nulls_first', 'asc_nulls_last', 'desc', 'desc_nulls_first', 'desc_nulls_last'] for type 'order_by', but found 'up'",
  ],
  [
    "{ author(distinct_on: name, order_by: {id: asc}) { id } }",
    "author.args",
    '"distinct_on" columns must match initial "order_by" columns',
  ],
  ["query($a: Int!) { author_by_pk(id: $a) { id } }", "$", 'expecting a value for non-nullable variable: "a"'],
  [
    "query($a: Int!) { author_by_pk(id: $a) { id } }",
    "$",
    'null value found for non-nullable type: "Int!"',
    { a: null },
  ],
  ["{ author { id } }", "$", "unexpected variables in variableValues: b", { b: 1 }],
  ["{ author(limit: $a) { id } }", "$", 'unbound variable "a"'],
  ["query($a: Int) { author { id } }", "$", "unexpected variables in variableValues: a", { a: 1 }],
  [
    "query($a: Int) { author { id @skip(if: true) ...A } } fragment A on author { id @include(if: $b) }",
    "$",
    'unbound variable "b"',
  ],
  [
    "query($a: author_bool_exp) { author(where: $a) { id } }",
    "author.args.where",
    "expected an object for type 'author_bool_exp', but found a number",
    { a: 3 },
  ],
  [
    "query($a: Int) { author(limit: $a) { id } }",
    "author.args.limit",
    "expected a non-negative 32-bit integer for type 'Int', but found a number",
    { a: -1 },
  ],
  [
    "query($a: author_bool_exp) { author(where: $a) { id } }",
    "author.args.where.id._is_null",
    "expected a boolean for type 'Boolean', but found a number",
    { a: { id: { _is_null: 1 } } },
  ],
  [
    "query($a: Int!) { author(where: {id: {_in: $a}}) { id } }",
    "author.args.where.id._in",
    "variable 'a' is declared as 'Int!', but used where '[Int!]' is expected",
    { a: 1 },
  ],
  [
    "{ author { articles { nope } bogus } other }",
    "author.selectionSet.articles.selectionSet.nope",
    "field 'nope' not found in type: 'article'",
  ],
  [
    'query @cached(ttl: "long") { author { id } }',
    "$.cached.args.ttl",
    "expected a 32-bit integer for type 'Int', but found a string",
  ],
  [
    "query @_multiple_top_level_fields { author { id } }",
    "$",
    "directive '_multiple_top_level_fields' is not allowed on a query",
  ],
  ["{ author(limit: 1, limit: 2) { id } }", "$.query", "not a valid graphql query"],
  ["{ author(where: {id: {_eq: 1, _eq: 2}}) { id } }", "$.query", "not a valid graphql query"],
  ["type author { id: Int } query { author { id } }", "$.query", "not a valid graphql query"],
  [
    "query($a: author_bool_exp) { author(where: $a) { id } }",
    "author.args.where",
    'variable value contains object with key "a b", which is not a legal GraphQL name',
    { a: { "a b": 1 } },
  ],
  [
    "{ author(where: {id: {_is_null: null}}) { id } }",
    "author.args.where.id._is_null",
    "expected a boolean for type 'Boolean', but found null",
  ],
  [
    "{ author_aggregate { aggregate { count(distinct: null) } } }",
    "author_aggregate.selectionSet.aggregate.selectionSet.count.args.distinct",
    "expected a boolean for type 'Boolean', but found null",
  ],
  [
    "{ author(where: {articles_aggregate: null}) { id } }",
    "author.args.where.articles_aggregate",
    "expected an object for type 'article_aggregate_bool_exp', but found null",
  ],
  [
    "{ author(where: {id: {_is_null: x}}) { id } }",
    "author.args.where.id._is_null",
    "expected a boolean for type 'Boolean', but found an enum value",
  ],
  [
    "{ article { body(path: x) } }",
    "article.selectionSet.body.args.path",
    "expected a string for type 'String', but found an enum value",
  ],
  [
    "{ author(where: {articles_aggregate: {count: {filter: null, predicate: {}}}}) { id } }",
    "author.args.where.articles_aggregate.count.filter",
    "expected an object for type 'article_bool_exp', but found null",
  ],
  [
    "{ author(where: {articles_aggregate: {count: {filter: {id: {_eq: []}}}}}) { id } }",
    "author.args.where.articles_aggregate.count.predicate",
    "missing required field 'predicate'",
  ],
  [
    "{ author(where: {id: {_eq: {}}, nothing: {}}) { id } }",
    "author.args.where.nothing",
    "field 'nothing' not found in type: 'author_bool_exp'",
  ],
  ['{ __type(name: "nowhere") { nope } }', "__type.selectionSet.nope", "field 'nope' not found in type: '__Type'"],
];

test.for(refused)("rejects %s and reports its place", ([query, path, message, variables = {}]) => {
  expect(() => plan(state, "admin", query, variables)).toThrow(
    expect.objectContaining({ code: "validation-failed", path: whole(path), message }),
  );
});

test("reports the number of operations before repeated fragments", () => {
  const query = "query { author { ...f } } fragment f on author { id } ";
  expect(() => plan(state, "admin", query + query)).toThrow("exactly one operation has to be present");
});

test("leaves a negative offset to Postgres, which rejects it", () => {
  expect(sql(state, "admin", "{ author(offset: -1) { id } }").text).toContain("OFFSET -1");
});

test("clamps an offset beyond bigint to the largest bigint", () => {
  expect(sql(state, "admin", '{ author(offset: "99999999999999999999") { id } }').text).toContain(
    "OFFSET 9223372036854775807)",
  );
});

/** Errors of documents and values that cannot be parsed have a code of their own. */
const unreadable: readonly Refused[] = [
  [
    "{ author(limit: 2147483648) { id } }",
    "author.args.limit",
    "The value 2.147483648e9 lies outside the bounds or is not an integer. Maybe it is a float, or is there integer overflow?",
  ],
  [
    "query($a: Int) { author(limit: $a) { id } }",
    "author.args.limit",
    "The value 1.5 lies outside the bounds or is not an integer. Maybe it is a float, or is there integer overflow?",
    { a: 1.5 },
  ],
  [
    "{ author(where: {id: {_eq: 1.5}}) { id } }",
    "author.args.where.id._eq",
    "The value 1.5 lies outside the bounds or is not an integer. Maybe it is a float, or is there integer overflow?",
  ],
  [
    "{ author(where: {id: {_in: [1, true]}}) { id } }",
    "author.args.where.id._in[1]",
    "parsing Integer expected for input type: PGInteger failed, expected Number, but encountered Boolean",
  ],
  [
    "{ article(where: {tags: {_eq: [[1]]}}) { id } }",
    "article.args.where.tags._eq",
    "parsing Text failed, expected String, but encountered Array",
  ],
  [
    "{ article(where: {tags: {_contains: 1}}) { id } }",
    "article.args.where.tags._contains",
    "parsing [] failed, expected Array, but encountered Number",
  ],
  [
    '{ article(where: {tags: {_in: [["a"], 1]}}) { id } }',
    "article.args.where.tags._in[1]",
    "parsing [] failed, expected Array, but encountered Number",
  ],
  [
    "{ author(where: {name: {_eq: 3}}) { id } }",
    "author.args.where.name._eq",
    "parsing Text failed, expected String, but encountered Number",
  ],
  [
    "{ author(where: {born: {_gt: 2026}}) { id } }",
    "author.args.where.born._gt",
    "parsing LocalTime failed, expected String, but encountered Number",
  ],
  ["query($a: Int, $a: Int) { author(limit: $a) { id } }", "$", 'multiple definitions for variable "a"'],
  [
    "{ author { ...A } } fragment A on author { id } fragment A on author { name }",
    "$",
    'multiple definitions for fragment "A"',
  ],
];

test.for(unreadable)("reports %s as unreadable, with its place", ([query, path, message, variables = {}]) => {
  expect(() => plan(state, "admin", query, variables)).toThrow(
    expect.objectContaining({ code: "parse-failed", path: whole(path), message }),
  );
});

test("selections of a field that differ only in key order and string notation are equal", () => {
  const where = (given: string) =>
    `a: author(where: {name: {_eq: "x"}, id: {_in: [1], _gt: 2}}, limit: 1) { id } a: author(limit: 1, where: ${given}) { name }`;
  expect(sql(state, "admin", `{ ${where('{id: {_gt: 2, _in: [1]}, name: {_eq: """x"""}}')} }`).text).toContain(
    '"name" AS "name"',
  );
  expect(() => plan(state, "admin", `{ ${where('{id: {_gt: 2, _in: [1]}, name: {_eq: "y"}}')} }`)).toThrow(
    "inconsistent arguments between multiple selections of field 'author'",
  );
});

test("null orders by nothing in place of an order or of all aggregates of a relationship", () => {
  const plain = sql(state, "admin", "{ author { id } }").text;
  for (const order of [
    "null",
    "{id: null}",
    "{articles_aggregate: null}",
    "{articles_aggregate: {count: null, max: {id: null}}}",
  ]) {
    expect(sql(state, "admin", `{ author(order_by: ${order}) { id } }`).text).toBe(plain);
  }
});

test.each([
  ['{ author(where: {id: {_eq: "1"}, hidden: {_eq: "true"}, score: {_gt: "1.5"}}) { id } }'],
  ["{ author(where: {name: {_eq: Anna}}) { id } }"],
])("%s leaves the parsing of texts to Postgres", (query) => {
  expect(() => plan(state, "admin", query)).not.toThrow();
});

describe("subscriptions", () => {
  test.each([
    ["subscription { author { id } article { id } }", "subscriptions must select one top level field"],
    ["subscription { author_stream(batch_size: 1, cursor: []) { id } }", "one streaming column field is expected"],
    [
      'subscription { author_stream(batch_size: 1, cursor: {initial_value: {id: 1, name: "x"}}) { id } }',
      "multiple column cursors are not supported yet",
    ],
    [
      "subscription { author_stream(batch_size: 1, cursor: [{initial_value: {id: 1}}, {initial_value: {id: 2}}]) { id } }",
      "multiple column cursors are not supported yet",
    ],
  ])("%s is refused", (query, message) => {
    expect(() => planLive(state, "admin", query)).toThrow(message);
  });

  test("a stream's cursor is the one column in all of its objects; errors point to the arguments", () => {
    expect(() =>
      planLive(
        state,
        "admin",
        "subscription { author_stream(batch_size: 1, cursor: [{initial_value: {}}, null, {initial_value: {id: 1}}]) { id } }",
      ),
    ).not.toThrow();
    expect(() => planLive(state, "admin", "subscription { author_stream(batch_size: 1, cursor: []) { id } }")).toThrow(
      expect.objectContaining({ path: "$.selectionSet.author_stream.args" }),
    );
  });

  test.each([
    ["subscription { __typename }", "Introspection at root field level is not supported over subscriptions"],
    [
      "subscription @_multiple_top_level_fields { author { id } article_stream(batch_size: 1, cursor: {initial_value: {id: 1}}) { id } }",
      "streaming and livequery subscriptions cannot be executed in the same subscription",
    ],
    [
      "subscription { ...Both } fragment Both on subscription_root { a: author_stream(batch_size: 1, cursor: {initial_value: {id: 1}}) { id } b: author_stream(batch_size: 1, cursor: {initial_value: {id: 1}}) { id } }",
      "exactly one root field is allowed for streaming subscriptions",
    ],
  ])("%s is not supported", (query, message) => {
    expect(() => planLive(state, "admin", query)).toThrow(
      expect.objectContaining({ code: "not-supported", path: "$", message }),
    );
  });

  test("a selection counts as one field, even a fragment with several; equal ones count twice", () => {
    expect(
      planLive(
        state,
        "admin",
        "subscription { ...Both } fragment Both on subscription_root { author { id } article { id } }",
      ).keys,
    ).toEqual(["author", "article"]);
    expect(() => planLive(state, "admin", "subscription { author { id } author { name } }")).toThrow(
      "subscriptions must select one top level field",
    );
  });

  test("a stream may begin at null only if its column is nullable", () => {
    const from = (value: string) =>
      `subscription { author_stream(batch_size: 1, cursor: {initial_value: {${value}: null}}) { id } }`;
    expect(() => planLive(state, "admin", from("name"))).not.toThrow();
    expect(() => planLive(state, "admin", from("id"))).toThrow("unexpected null value for type 'Int'");
  });

  test("rejects a null order of the cursor", () => {
    expect(() =>
      planLive(
        state,
        "admin",
        "subscription { author_stream(batch_size: 1, cursor: {initial_value: {id: 1}, ordering: null}) { id } }",
      ),
    ).toThrow(
      expect.objectContaining({
        path: "$.selectionSet.author_stream.args.cursor[0].ordering",
        message: "expected an enum value for type 'cursor_ordering', but found null",
      }),
    );
  });

  test("a role without subscriptions gets a specific error", () => {
    expect(() => planLive(state, "stranger", "subscription { author { id } }")).toThrow("no subscriptions exist");
  });
});

test("fragments that spread each other without a field have a bounded size", () => {
  const fragments = Array.from(
    { length: 40 },
    (_empty, index) => `fragment F${index} on author { ...F${index + 1} ...F${index + 1} }`,
  );
  const query = `{ author { ...F0 } } ${fragments.join(" ")} fragment F40 on author { id }`;
  expect(() => plan(state, "admin", query)).toThrow(
    "more fields, arguments and values than the limit of 20000 after its fragments are spread",
  );
});

test("rejects an operation name for an operation without a name", () => {
  expect(() => readOperation("{ author { id } }", "a")).toThrow(
    "operationName cannot be used when an anonymous operation exists in the document",
  );
});

test("limits nesting", () => {
  const nested = "articles { author { ".repeat(15);
  const query = `{ author { ${nested} id ${"} }".repeat(15)} } }`;
  expect(() => plan(state, "admin", query)).toThrow("the query nests more lists than the limit of 6");
  expect(() => plan(state, "admin", query, {}, { maxListNesting: 0 })).toThrow("deeper than the limit of 20");
});

test("limits introspection that multiplies itself", () => {
  const nested = "type { fields { ".repeat(4);
  expect(() => plan(state, "admin", `{ __schema { types { fields { ${nested} name ${"} }".repeat(4)} } } } }`)).toThrow(
    "introspection is nested too deeply",
  );
});

test("rejects a document by its size before parsing", () => {
  for (const [open, close] of ["{}", "[]", "()"].map((pair) => pair.split("") as [string, string])) {
    expect(() => readOperation(open.repeat(501) + close.repeat(501), null)).toThrow("nested no deeper than 500 levels");
    expect(() => readOperation(open.repeat(19_000), null)).toThrow("nested no deeper than 500 levels");
  }
  expect(() => readOperation(`{ ${"a ".repeat(20_000)}}`, null)).toThrow("more tokens than the limit of 20000");
  const braces = "{".repeat(600);
  for (const query of [`#${braces}\n{ a }`, `{ a(b: "${braces}") }`, `{ a(b: """${braces}""") }`])
    expect(readOperation(query, null).kind).toBe("query");
});
