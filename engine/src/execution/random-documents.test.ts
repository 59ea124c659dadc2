import fc from "fast-check";
import { expect, test } from "vitest";
import { EngineError } from "../errors.ts";
import { library, plan, stateOf } from "../testing/world.ts";

const state = await stateOf(library);

const names = [
  "author",
  "article",
  "id",
  "name",
  "title",
  "articles",
  "author_aggregate",
  "articles_aggregate",
  "aggregate",
  "count",
  "nodes",
  "max",
  "where",
  "order_by",
  "limit",
  "_eq",
  "_in",
  "_and",
  "_or",
  "_not",
  "asc",
  "body",
  "path",
  "tags",
  "__typename",
  "__schema",
  "types",
  "search_articles",
  "args",
  "term",
  "F",
  "query_root",
];
const word = fc.constantFrom(
  ...names,
  "{",
  "}",
  "{",
  "}",
  "(",
  ")",
  "[",
  "]",
  ":",
  "$x",
  "...",
  "on",
  "@include",
  "@skip",
  "if",
  "true",
  "null",
  "1",
  "-1",
  "1.5",
  '"x"',
  "query",
  "fragment",
  "subscription",
  "!",
  "=",
);

/** Succeeds when a document is planned or rejected. Any other error is a fault of the engine. */
function survives(query: string, variables: Record<string, unknown>): void {
  for (const role of ["admin", "reader", "counter", "stranger"]) {
    try {
      plan(state, role, query, variables);
    } catch (error) {
      expect(error).toBeInstanceOf(EngineError);
    }
  }
}

test("plans or rejects any sequence of a document's words", () => {
  fc.assert(
    fc.property(fc.array(word, { maxLength: 40 }), fc.anything(), (words, x) =>
      survives(`{ ${words.join(" ")} }`, { x }),
    ),
    { numRuns: 2_000 },
  );
});

/** Well-formed documents, meaningful or not. */
const value: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom("1", "-5", "2.5", '"x"', "null", "true", "asc", "id", "$x", "$y"),
    fc.array(tie("value"), { maxLength: 3 }).map((items) => `[${items.join(", ")}]`),
    fc
      .array(fc.tuple(fc.constantFrom(...names), tie("value")), { maxLength: 3 })
      .map((entries) => `{${entries.map(([name, text]) => `${name}: ${text}`).join(", ")}}`),
  ),
})).value;

const selection: fc.Arbitrary<string> = fc.letrec<{ selection: string }>((tie) => ({
  selection: fc
    .tuple(
      fc.constantFrom(...names),
      fc.array(
        fc.tuple(fc.constantFrom("where", "order_by", "limit", "offset", "distinct_on", "path", "args", "id"), value),
        { maxLength: 2 },
      ),
      fc.oneof(
        { depthSize: "small" },
        fc.constant(""),
        fc.array(tie("selection"), { minLength: 1, maxLength: 3 }).map((items) => `{ ${items.join(" ")} }`),
      ),
    )
    .map(
      ([name, given, below]) =>
        `${name}${given.length === 0 ? "" : `(${given.map(([argument, text]) => `${argument}: ${text}`).join(", ")})`} ${below}`,
    ),
})).selection;

test("plans or rejects any well-formed document with any variables", () => {
  fc.assert(
    fc.property(
      fc.array(selection, { minLength: 1, maxLength: 3 }),
      fc.constantFrom("Int", "author_bool_exp", "[author_order_by!]", "jsonb", "String!"),
      fc.jsonValue(),
      (fields, type, x) => survives(`query($x: ${type}, $y: order_by) { ${fields.join(" ")} }`, { x }),
    ),
    { numRuns: 3_000 },
  );
});
