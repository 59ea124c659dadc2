import { parse } from "graphql";
import { expect, test } from "vitest";
import { AllowList } from "./allow-list.ts";

const collection = (name: string, query: string) => ({ name, definition: { queries: [{ name: "q", query }] } });

const list = new AllowList({
  query_collections: [collection("everyone", "query Names { author { name } }"), collection("editors", "{ author { id ...F } } fragment F on author { name }"), collection("unused", "{ secret { id } }")],
  allowlist: [
    { collection: "everyone", scope: { global: true } },
    { collection: "editors", scope: { global: false, roles: ["editor"] } },
  ],
});

test.each([
  ["query Names { author { name } }", "anyone", true],
  ["query Names {\n  # with a remark\n  author { name __typename }\n}", "anyone", true],
  ["query Other { author { name } }", "anyone", false],
  ["query Names { author { name id } }", "anyone", false],
  ["query Names { author(limit: 1) { name } }", "anyone", false],
  ["{ author { id ...F } } fragment F on author { name }", "editor", true],
  ["{ author { id ...F } } fragment F on author { name }", "anyone", false],
  ["{ secret { id } }", "editor", false],
])("%s of %s is allowed: %s", (query, role, allowed) => {
  expect(list.allows(parse(query), role)).toBe(allowed);
});
