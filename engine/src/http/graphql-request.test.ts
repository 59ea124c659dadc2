import fc from "fast-check";
import { expect, test } from "vitest";
import { EngineError } from "../errors.ts";
import { parseExactJson } from "../exact-json.ts";
import { parseGraphQLRequest } from "./graphql-request.ts";

test("every JSON value is a request or is refused as parse-failed", () => {
  const nearlyRequests = fc.record(
    { query: fc.oneof(fc.string(), fc.jsonValue()), variables: fc.jsonValue(), operationName: fc.jsonValue() },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.oneof(nearlyRequests, fc.jsonValue()), (value) => {
      try {
        const request = parseGraphQLRequest(value);
        expect(typeof request.query).toBe("string");
        expect(["undefined", "string"]).toContain(typeof (request.operationName ?? undefined));
      } catch (error) {
        if (!(error instanceof EngineError)) throw error;
        expect(error.code).toBe("parse-failed");
      }
    }),
    { numRuns: 2_000 },
  );
});

test("variables nested deeper than any condition are refused before anything follows them", () => {
  const nested = (depth: number) => JSON.parse(`{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`) as unknown;
  const request = (depth: number) => parseGraphQLRequest({ query: "{ a }", variables: nested(depth) });
  expect(request(499)).toHaveProperty("variables");
  expect(() => request(501)).toThrow("nested no deeper than 500 levels");
  expect(() => request(50_000)).toThrow("nested no deeper than 500 levels");
});

test("so are brackets of a query, but for those in strings and comments", () => {
  const request = (query: string) => parseGraphQLRequest({ query });
  for (const [open, close] of ["{}", "[]", "()"].map((pair) => pair.split("") as [string, string])) {
    expect(request(open.repeat(500) + close.repeat(500))).toHaveProperty("query");
    expect(() => request(open.repeat(501) + close.repeat(501))).toThrow("nested no deeper than 500 levels");
    expect(() => request(open.repeat(200_000))).toThrow("nested no deeper than 500 levels");
  }
  const braces = "{".repeat(600);
  for (const query of [`#${braces}\n{ a }`, `{ a(b: "${braces}") }`, `{ a(b: """${braces}""") }`, "{ a } ".repeat(1000)])
    expect(request(query)).toHaveProperty("query");
});

test.each(["1e999999", "-1e-999999", "12345678901234567890", "[]", '"{}"', "true"])("variables that are %s are none", (variables) => {
  expect(() => parseGraphQLRequest(parseExactJson(`{"query":"{ a }","variables":${variables}}`))).toThrow("expected Object");
});
