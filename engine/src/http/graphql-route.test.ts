import { expect, test } from "vitest";
import { prefersGraphqlResponse } from "./graphql-route.ts";

test.each([
  [undefined, false],
  ["*/*", false],
  ["application/json", false],
  ["application/graphql-response+json", true],
  ["application/graphql-response+json; charset=utf-8, application/json; charset=utf-8", true],
  ["application/graphql-response+json,application/json;q=0.9", true],
  ["Application/GraphQL-Response+JSON", true],
  ["application/graphql-response+json;q=0.5, application/json", false],
  ["application/json, multipart/mixed, application/graphql-response+json;q=0", false],
])("Accept: %s is %s", (accept, expected) => {
  expect(prefersGraphqlResponse(accept)).toBe(expected);
});
