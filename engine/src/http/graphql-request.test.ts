import fc from "fast-check";
import { expect, test } from "vitest";
import { timeRatio } from "../testing/growth.ts";
import { EngineError } from "../errors.ts";
import { parseExactJson } from "../exact-json.ts";
import { parseGraphQLRequest } from "./graphql-request.ts";

test("any JSON value is a request or fails with parse-failed", () => {
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

test("rejects variables nested deeper than any condition before other code visits them", () => {
  const nested = (depth: number) => JSON.parse(`{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`) as unknown;
  const request = (depth: number) => parseGraphQLRequest({ query: "{ a }", variables: nested(depth) });
  expect(request(499)).toHaveProperty("variables");
  expect(() => request(501)).toThrow("nested no deeper than 500 levels");
  expect(() => request(50_000)).toThrow("nested no deeper than 500 levels");
});

test("does not inspect the query's text: its length alone costs nothing", () => {
  const read = (size: number) => {
    const query = `"${'\\"'.repeat(size)}`;
    return () => {
      for (let round = 0; round < 1000; round += 1) parseGraphQLRequest({ query });
    };
  };
  expect(timeRatio(read(130_000), read(1))).toBeLessThan(100);
});

test.each(["1e999999", "-1e-999999", "12345678901234567890", "[]", '"{}"', "true"])(
  "variables that are %s count as missing",
  (variables) => {
    expect(() => parseGraphQLRequest(parseExactJson(`{"query":"{ a }","variables":${variables}}`))).toThrow(
      "expected Object",
    );
  },
);
