import { GraphQLInputObjectType, GraphQLInt, GraphQLList, Kind } from "graphql";
import { expect, test } from "vitest";
import { defaultCostLimits, Spending } from "../cost/limits.ts";
import { growth, linear } from "../testing/growth.ts";
import { library, plan, planLive, stateOf } from "../testing/world.ts";
import { readOperation } from "./document/document.ts";
import { InputReader } from "./document/input.ts";
import { resolveParameters } from "./plan/prepared-plan.ts";
import { Variables } from "./document/variables.ts";

const state = await stateOf(library);
const times = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_item, index) => text(index)).join(" ");
const unlimited = { maxTokens: 0, maxNodes: 0 };

const documents: readonly (readonly [string, (size: number) => string])[] = [
  ["fields", (size) => `{ ${"a ".repeat(size)}}`],
  ["inline fragments", (size) => `{ ${"... { a } ".repeat(size / 4)}}`],
  ["arguments", (size) => `{ ${times(size / 8, (index) => `a(b${index}: 1)`)} }`],
  ["arguments of one field", (size) => `{ a(${times(size / 4, (index) => `b${index}: 1`)}) }`],
  ["keys of one object", (size) => `{ a(b: { ${times(size / 4, (index) => `c${index}: 1`)} }) }`],
  ["variables", (size) => `query(${times(size / 4, (index) => `$v${index}: Int`)}) { a }`],
  ["directives", (size) => `{ a ${times(size / 4, (index) => `@d${index}`)} }`],
  [
    "fragments in a chain",
    (size) =>
      `{ ...f0 } ${times(size / 8, (index) => `fragment f${index} on a { ...f${index + 1} }`)} fragment f${size / 8} on a { b }`,
  ],
  [
    "fragments that spread each other twice",
    (size) =>
      `{ ...f0 } ${times(size / 8, (index) => `fragment f${index} on a { ...f${index + 1} ...f${index + 1} }`)} fragment f${size / 8} on a { b }`,
  ],
  [
    "one fragment that is spread often",
    (size) => `{ ${"...f ".repeat(size / 2)}} fragment f on a { ${"b ".repeat(size / 2)}}`,
  ],
];

test.each(documents)("accepts or rejects %s in linear time", (_title, document) => {
  const read = (text: string): void => {
    try {
      readOperation(text, null, unlimited);
    } catch {
      // A rejection must take linear time too.
    }
  };
  expect(growth(document, read, 1024)).toBeLessThan(linear);
});

test("rejects a chain of 4,000 fragments without recursion", () => {
  const chain = (links: number) =>
    `{ ...f0 } ${times(links, (index) => `fragment f${index} on query_root { ...f${index + 1} }`)} fragment f${links} on query_root { __typename }`;
  expect(readOperation(chain(400), null).kind).toBe("query");
  expect(() => readOperation(chain(4_000), null, unlimited)).toThrow(
    "nested deeper than 500 levels after its fragments are spread",
  );
  expect(() => readOperation(chain(4_000).replace("__typename", "...f0"), null, unlimited)).toThrow("form a cycle");
});

test("counts fields that a directive excludes, as often as they are spread", () => {
  const fields = `author { id @skip(if: true) }`.repeat(1_000);
  expect(() => plan(state, "admin", `{ ${"...f ".repeat(6)}} fragment f on query_root { ${fields} }`)).toThrow(
    "than the limit of 20000 after its fragments are spread",
  );
});

const articles = (condition: string) => `{ author(where: ${condition}) { id } }`;

test("counts relationships in conditions, in orders and in selections", () => {
  const related = (count: number) => articles(`{_and: [${"{articles: {id: {_eq: 1}}} ".repeat(count)}]}`);
  expect(() => plan(state, "admin", related(100))).not.toThrow();
  expect(() => plan(state, "admin", related(201))).toThrow("needs more tables and subqueries than the limit of 200");
  expect(() => plan(state, "admin", `{ article(order_by: [${"{author: {name: asc}} ".repeat(201)}]) { id } }`)).toThrow(
    "needs more tables and subqueries",
  );
  expect(() => plan(state, "admin", `{ article { ${times(201, (index) => `a${index}: author { id }`)} } }`)).toThrow(
    "needs more tables and subqueries",
  );
  expect(() =>
    planLive(state, "admin", `subscription { article { ${times(201, (index) => `a${index}: author { id }`)} } }`),
  ).toThrow("needs more tables and subqueries");
});

test("counts conditions, also those in variables and repeated ones", () => {
  expect(() => plan(state, "admin", articles(`{_or: [${"{id: {_eq: 1}} ".repeat(2_001)}]}`))).toThrow(
    "needs more conditions than the limit of 2000",
  );
  const inVariable = "query q($w: author_bool_exp) { author(where: $w) { id } }";
  expect(() =>
    plan(state, "admin", inVariable, { w: { _or: Array.from({ length: 2_001 }, () => ({ id: { _eq: 1 } })) } }),
  ).toThrow("needs more conditions");
  const where = `{_or: [${"{id: {_eq: 1}} ".repeat(100)}]}`;
  expect(() =>
    plan(
      state,
      "admin",
      `{ author_aggregate(where: ${where}) { ${times(21, (index) => `n${index}: nodes { id }`)} } }`,
    ),
  ).toThrow("needs more conditions");
});

test("counts values of variables for each occurrence in the document", () => {
  const query = `query q($w: author_bool_exp) { ${times(300, (index) => `a${index}: author(where: $w) { id }`)} }`;
  expect(() =>
    plan(state, "admin", query, { w: { id: { _in: Array.from({ length: 1_000 }, (_item, index) => index) } } }),
  ).toThrow("holds more values in its arguments than the limit of 20000");
  const largest = { w: { id: { _in: Array.from({ length: 49_000 }, (_item, index) => index) } } };
  const once = "query q($w: author_bool_exp) { author(where: $w) { id } }";
  expect(() => plan(state, "admin", once, largest)).not.toThrow();
  const twice = "query q($w: author_bool_exp) { a: author(where: $w) { id } b: author(where: $w) { id } }";
  expect(() => plan(state, "admin", twice, largest)).toThrow("holds more values in its arguments");
  const text = `query q($s: String) { ${times(300, (index) => `a${index}: author(where: {name: {_eq: $s}}) { id }`)} }`;
  const [root] = plan(
    state,
    "admin",
    `query q($s: String) { author(where: {_or: [${"{name: {_eq: $s}} ".repeat(30)}]}) { id } }`,
    { s: "x" },
  );
  if (root?.kind !== "statement") throw new Error(`${text} needs a statement`);
  const session = { role: "admin", isAdmin: true, variables: new Map<string, string>() };
  expect(resolveParameters(root.statement.parameters, session, { s: "x".repeat(60_000) })).toHaveLength(30);
  expect(() => resolveParameters(root.statement.parameters, session, { s: "x".repeat(100_000) })).toThrow(
    "hold more characters than the limit of 2000000",
  );
});

test.each<[string, (items: readonly unknown[]) => unknown]>([
  ["JSON", (_contains) => ({ body: { _contains } })],
  ["an array", (_eq) => ({ tags: { _eq } })],
])("refuses %s of a variable that many fields use before it is converted for each", (_title, condition) => {
  const query = (uses: number) =>
    `query q($w: article_bool_exp) { ${times(uses, (index) => `a${index}: article(where: $w) { id }`)} }`;
  const variables = (size: number) => ({ w: condition(Array.from({ length: size }, () => "")) });
  expect(() => plan(state, "admin", query(190), variables(100_000))).toThrow("holds more values in its arguments");
  expect(() => plan(state, "admin", query(1), variables(40_000))).not.toThrow("holds more values in its arguments");
});

test("counts the default of a variable for each use", () => {
  const query = `query q($s: String = {${times(2_000, (index) => `k${index}: 1`)}}) { author(where: {_or: [${"{name: {_eq: $s}} ".repeat(100)}]}) { id } }`;
  expect(() => plan(state, "admin", query)).toThrow("holds more values in its arguments");
});

test("creates no objects for the items of a list in a variable", () => {
  const items = Array.from({ length: 40_000 }, () => 1);
  const operation = readOperation("query q($w: conditions) { a(where: $w) }", null);
  const reader = new InputReader(
    new Variables(operation, { w: { _in: items } }, new Set()),
    new Spending(defaultCostLimits),
  );
  const type = new GraphQLInputObjectType({
    name: "conditions",
    fields: { _in: { type: new GraphQLList(GraphQLInt) } },
  });
  const read = reader.read({ kind: Kind.VARIABLE, name: { kind: Kind.NAME, value: "w" } }, type, "$");
  expect(read).toMatchObject({ kind: "object", entries: [{ value: { kind: "scalars" } }] });
  expect(read.kind === "object" && read.entries[0]?.value).toHaveProperty("values", items);
});

test("limits an introspection result by the size of the schema", () => {
  const aliases = times(480, (index) => `a${index}: name`);
  expect(() =>
    plan(
      state,
      "admin",
      `{ __schema { types { fields { args { type { inputFields { type { inputFields { ${aliases} } } } } } } } } }`,
    ),
  ).toThrow("the introspection gives more values than the limit");
});

test("rejects long names and numbers, and clamps offsets of many digits in linear time", () => {
  expect(() => readOperation(`{ ${"a".repeat(1_001)} }`, null)).toThrow("no longer than 1000 characters");
  expect(() => readOperation(`{ a(b: ${"1".repeat(1_001)}) }`, null)).toThrow("no longer than 1000 characters");
  const offset = (digits: string): void =>
    void plan(state, "admin", "query q($o: Int) { author(offset: $o) { id } }", { o: digits });
  expect(growth((size) => "9".repeat(size), offset)).toBeLessThan(linear);
});
