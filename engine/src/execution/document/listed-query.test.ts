import { buildSchema } from "graphql";
import { expect, test } from "vitest";
import { library, stateOf } from "../../testing/world.ts";
import { listedQueryProblem } from "./listed-query.ts";

const schema = buildSchema("type Query { author(id: Int): Author } type Author { id: Int name: String }");

test.each([
  ["{ author { id name } }", undefined],
  ["query Q($id: Int!) { author(id: $id) { __typename ...F } } fragment F on Author { name }", undefined],
  ["{ author { id }", "Syntax Error: Expected Name, found <EOF>."],
  ["query Q {\n  author {\n    id(\n  }\n}", 'Syntax Error: Expected Name, found "}". (line 4 of the query)'],
  ["", "Syntax Error: Unexpected <EOF>."],
  ["type Author { id: Int }", "not a valid graphql query"],
  ["query A { author { id } }\nquery B { author { id } }", "it has 2 operations, and Hasura accepts exactly one"],
  ["fragment F on Author { id }", "it has 0 operations, and Hasura accepts exactly one"],
  ["{ author { ...F } }", 'Unknown fragment "F".'],
  [
    "{ author { ...F } }\nfragment F on Author { ...F }",
    'Cannot spread fragment "F" within itself. (line 2 of the query)',
  ],
])("checks the structure of the query %j: %s", (query, reason) => {
  expect(listedQueryProblem(query)).toBe(reason);
  expect(listedQueryProblem(query, schema)).toBe(reason);
});

test.each([
  ["{ author { nam } }", 'Cannot query field "nam" on type "Author". Did you mean "name"?'],
  ["{ authors { id } }", 'Cannot query field "authors" on type "Query". Did you mean "author"?'],
  ["{ author }", 'Field "author" of type "Author" must have a selection of subfields. Did you mean "author { ... }"?'],
  ["query ($id: [Integer!]) {\n author(id: $id) { id } }", "the variable $id has the unknown type Integer"],
  // Hasura checks arguments only when a query runs.
  ["{ author(ids: 1) { id } }", undefined],
])("checks the fields and types of the query %j: %s", (query, reason) => {
  expect(listedQueryProblem(query, schema)).toBe(reason);
  expect(listedQueryProblem(query)).toBeUndefined();
});

test.each([
  [{}, ["listed.q"]],
  [{ remote_schemas: [{ name: "other" }] }, []],
  [{ actions: [{ name: "other" }], custom_types: { scalars: [{ name: "other" }] } }, []],
])("with %j the queries with unknown fields are %j", async (parts, names) => {
  const queries = [
    { name: "q", query: "{ autor { id } }" },
    { name: "r", query: "subscription { author_stream(cursor: [], batch_size: 1) { id } }" },
  ];
  const root = { ...parts, query_collections: [{ name: "listed", definition: { queries } }] };
  const state = await stateOf({ ...library, root }, { allowInconsistent: true, allowUnsupported: true });
  const found = state.inconsistencies.filter(({ type }) => type === "query_collection");
  expect(found.map(({ name }) => name)).toEqual(names);
});
