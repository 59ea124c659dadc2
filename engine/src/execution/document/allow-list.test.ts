import { expect, test } from "vitest";
import { library, stateOf } from "../../testing/world.ts";
import { AllowList } from "./allow-list.ts";

const collection = (name: string, query: string) => ({ name, definition: { queries: [{ name: "q", query }] } });

const list = new AllowList({
  query_collections: [
    collection("everyone", "query Names { author { name } }"),
    collection("editors", "{ author { id ...F } } fragment F on author { name }"),
    collection(
      "everyone too",
      "query Some($a: Int) { author(limit: $a, where: {name: {}, id: {_gt: 1}}) { ... on author { __typename name } } }",
    ),
    collection("unused", "{ secret { id } }"),
    collection("texts", 'query { author(where: {name: {_eq: "Anna"}}) { id } }'),
    collection("broken", "{ author {"),
  ],
  allowlist: [
    { collection: "everyone", scope: { global: true } },
    { collection: "everyone too", scope: { global: true } },
    { collection: "texts", scope: { global: true } },
    { collection: "broken", scope: { global: true } },
    { collection: "editors", scope: { global: false, roles: ["editor"] } },
  ],
});

test.each([
  ["query Names { author { name } }", "anyone", true],
  ["query Names {\n  # with a remark\n  author { name __typename }\n}", "anyone", true],
  ["query Other { author { name } }", "anyone", false],
  ["query Names { author { name id } }", "anyone", false],
  ["query Names { author(limit: 1) { name } }", "anyone", false],
  [
    "query Some($a: Int) { author(where: {id: {_gt: 1}, name: {}}, limit: $a) { __typename ... on author { __typename name } } }",
    "anyone",
    true,
  ],
  [
    "query Some($a: Int) { author(where: {id: {_gt: 1}, name: {}}, limit: $a) { ... on author { name } } }",
    "anyone",
    false,
  ],
  ["{ author { id ...F } } fragment F on author { name }", "editor", true],
  ["{ author { id ...F } } fragment F on author { name }", "anyone", false],
  ["{ secret { id } }", "editor", false],
  ["query { author { id ...F } } fragment F on author { name }", "editor", false],
  ['{ author(where: {name: {_eq: "Anna"}}) { id } }', "anyone", false],
  ['query { author(where: {name: {_eq: """Anna"""}}) { id } }', "anyone", true],
])("%s of %s is allowed: %s", (query, role, allowed) => {
  expect(list.allows(query, role)).toBe(allowed);
});

test.each([
  ["{ author {", "Syntax Error: Expected Name, found <EOF>."],
  ["type author { id: Int }", "not a valid graphql query"],
  ["{ author(limit: 1, limit: 2) { id } }", "not a valid graphql query"],
])("reports a collection with %s, and an engine that accepts problems still starts", async (query, reason) => {
  const root = { query_collections: [collection("broken", query)], allowlist: [{ collection: "broken" }] };
  const state = await stateOf({ ...library, root }, { allowInconsistent: true });
  expect(state.inconsistencies).toEqual([
    expect.objectContaining({ type: "query_collection", name: "broken.q", reason }),
  ]);
});
