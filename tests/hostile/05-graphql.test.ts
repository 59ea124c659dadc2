import { beforeAll } from "vitest";
import { Member } from "../e2e/support/clients/accounts.ts";
import { call } from "../e2e/support/clients/http.ts";
import { writeSmallWorld } from "../e2e/support/data/small-world.ts";
import { type Attack, attacks, gotData } from "./support/attack.ts";

let analyst: Member;
let headers: Record<string, string>;

beforeAll(async () => {
  await writeSmallWorld();
  analyst = await Member.join("analyst");
});

async function ask(
  body: unknown,
  more: Record<string, string> = {},
): Promise<{ status: number; text: string; milliseconds: number }> {
  headers ??= { authorization: `Bearer ${await analyst.freshToken()}` };
  const startedAt = performance.now();
  const { status, text } = await call("/api/graphql", {
    method: "POST",
    headers: { "content-type": "application/json", ...headers, ...more },
    body,
  });
  return { status, text, milliseconds: performance.now() - startedAt };
}

/** Maximum duration of one request on a busy machine, in milliseconds; a statement in Postgres has 5 s. */
const longest = 15_000;

/** Rejected, in bounded time. */
const refused = (name: string, body: unknown): Attack => ({
  name,
  async run() {
    const { status, text, milliseconds } = await ask(body);
    return milliseconds > longest ? `it took ${Math.round(milliseconds)} ms` : gotData(status, text);
  },
});

/** Answered with exactly this, or rejected, in bounded time: the hostile content has no effect. */
const harmless = (name: string, body: unknown, expected: string): Attack => ({
  name,
  async run() {
    const { status, text, milliseconds } = await ask(body);
    if (milliseconds > longest) return `it took ${Math.round(milliseconds)} ms`;
    return text === expected ? undefined : gotData(status, text);
  },
});

const typename = '{"data":{"__typename":"query_root"}}';
const times = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => text(index)).join(" ");
const nested = (depth: number): string =>
  `{ view_hijacks(limit: 1) ${"{ update_links(limit: 1) { hijack ".repeat(depth)} { key } ${"} }".repeat(depth)} }`;
const where = (condition: string): string => `{ view_hijacks(limit: 1, where: ${condition}) { key } }`;

attacks("rejects depth and breadth over the limits before any work", () => [
  ...[6, 10, 50, 200, 1000, 3000].map((depth) => refused(`nested ${depth} times`, { query: nested(depth) })),
  ...[100, 1000, 10_000].map((depth) =>
    refused(`selection sets ${depth} deep`, { query: `${"{a".repeat(depth)}${"}".repeat(depth)}` }),
  ),
  ...[501, 1000, 5000].map((count) =>
    refused(`${count} aliases of a root field`, {
      query: `{ ${times(count, (index) => `a${index}: view_hijacks(limit: 1) { key }`)} }`,
    }),
  ),
  ...[501, 5000, 10_000].map((count) =>
    refused(`${count} aliases of a column`, {
      query: `{ view_hijacks(limit: 1) { ${times(count, (index) => `a${index}: key`)} } }`,
    }),
  ),
  ...[501, 5000].map((count) =>
    refused(`${count} aliases of __typename`, { query: `{ ${times(count, (index) => `a${index}: __typename`)} }` }),
  ),
  ...[51, 500, 5000].map((count) =>
    refused(
      `a batch of ${count}`,
      Array.from({ length: count }, () => ({ query: "{ __typename }" })),
    ),
  ),
  ...[100, 1000, 4000].map((depth) =>
    refused(`conditions ${depth} deep`, {
      query: where(`${"{_not:".repeat(depth)}{key: {_eq: "a"}}${"}".repeat(depth)}`),
    }),
  ),
  ...[1000, 10_000].map((depth) =>
    refused(`lists ${depth} deep`, { query: where(`{key: {_in: ${"[".repeat(depth)}${"]".repeat(depth)}}}`) }),
  ),
]);

attacks("fragments: cycles, chains and bombs", () => {
  const chain = (links: number) =>
    times(
      links,
      (index) =>
        `fragment f${index} on query_root { ${index + 1 < links ? `...f${index + 1} ...f${index + 1}` : "__typename"} }`,
    );
  return [
    refused("a fragment of itself", { query: "{ ...a } fragment a on query_root { ...a }" }),
    refused("two of each other", {
      query: "{ ...a } fragment a on query_root { ...b } fragment b on query_root { ...a }",
    }),
    refused("a long cycle", {
      query: `{ ...f0 } ${times(500, (index) => `fragment f${index} on query_root { ...f${(index + 1) % 500} }`)}`,
    }),
    refused("a cycle inside a field", {
      query: "{ view_hijacks(limit: 1) { ...a } } fragment a on view_hijacks { update_links { hijack { ...a } } }",
    }),
    refused("an undefined fragment", { query: "{ ...a }" }),
    harmless(
      "a fragment twice",
      { query: "{ ...a } fragment a on query_root { __typename } fragment a on query_root { __typename }" },
      typename,
    ),
    harmless("an unused fragment", { query: "{ __typename } fragment a on query_root { b }" }, typename),
    // 2^n selections of the same field.
    ...[10, 20, 30, 60].map((links) =>
      harmless(`a bomb of ${links} links`, { query: `{ ...f0 } ${chain(links)}` }, typename),
    ),
    ...[1000, 10_000].map((depth) =>
      harmless(
        `${depth} inline fragments, one in another`,
        { query: `{ ${"... { ".repeat(depth)}__typename${" }".repeat(depth)} }` },
        typename,
      ),
    ),
  ];
});

attacks("endless directives, names and texts", () => [
  ...[100, 2000, 10_000].map((count) =>
    refused(`${count} unknown directives`, { query: `{ __typename ${times(count, (index) => `@d${index}`)} }` }),
  ),
  ...[2, 500, 5000].map((count) =>
    harmless(
      `@include ${count} times`,
      { query: `{ __typename ${times(count, () => "@include(if: true)")} }` },
      typename,
    ),
  ),
  refused("@cached and related directives", { query: "query @cached(ttl: 100000, refresh: true) @live { a }" }),
  refused("a name of 200 KB", { query: `{ ${"a".repeat(200_000)} }` }),
  refused("an unfinished string", { query: `{ a(b: "${"x".repeat(200_000)}` }),
  refused("an unfinished block string", { query: `{ a(b: """${"x".repeat(200_000)}` }),
  harmless("a comment of 200 KB", { query: `#${"x".repeat(200_000)}\n{ __typename }` }, typename),
  harmless("commas alone", { query: `{${",".repeat(100_000)}__typename}` }, typename),
  refused("200 KB of braces", { query: "{".repeat(200_000) }),
  refused("an emoji for a name", { query: "{ \u{1f600} }" }),
  refused("a half of a surrogate pair", { query: '{ view_hijacks(where: {key: {_eq: "\\ud800"}}) { key } ' }),
  refused("a NUL", { query: "{ \0 }" }),
  refused("__proto__", { query: "{ __proto__ constructor toString }" }),
  refused("__proto__ as an alias for an unknown field", { query: "{ __proto__: nothing }" }),
  refused("an empty query", { query: "" }),
  refused("a query that is a list", { query: ["{ __typename }"] }),
  refused("two operations without a name", { query: "{ __typename } { __typename }" }),
  refused("another operation's name", { query: "query a { __typename } query b { __typename }", operationName: "c" }),
  refused("a name that is an object", { query: "query a { __typename }", operationName: { toString: "a" } }),
  refused("a mutation", { query: "mutation { delete_view_hijacks(where: {}) { affected_rows } }" }),
  refused("a mutation behind a query", {
    query: "query a { __typename } mutation b { insert_view_hijacks(objects: []) { affected_rows } }",
    operationName: "b",
  }),
  refused("a subscription over POST", { query: "subscription { view_hijacks { key } }" }),
  refused("a stored query", { extensions: { persistedQuery: { version: 1, sha256Hash: "0".repeat(64) } } }),
]);

attacks("variables: huge, deep and of the wrong kind", () => {
  const query = "query q($w: view_hijacks_bool_exp, $l: Int) { view_hijacks(where: $w, limit: $l) { key } }";
  const deep = (depth: number) => `${'{"_and":['.repeat(depth)}{"key":{"_eq":"a"}}${"]}".repeat(depth)}`;
  const wrong: readonly unknown[] = [
    { w: "text" },
    { w: 1 },
    { w: [[]] },
    { w: { nothing: 1 } },
    { w: { key: { _eq: { a: 1 } } } },
    { w: { key: { _regexp: "a" } } },
    JSON.parse('{"w":{"__proto__":{"_eq":1}}}'),
    { w: { constructor: { _eq: 1 } } },
    { l: "1; drop table users" },
    { l: 1.5 },
    { l: -1 },
    { l: 2 ** 31 },
    { l: 1e308 },
    { l: true },
    { l: {} },
    { l: [1, 2] },
    "text",
    1,
    [1],
  ];
  return [
    ...wrong.map((variables) => refused(JSON.stringify(variables), { query, variables })),
    ...[200, 1000, 5000].map((depth) =>
      refused(`conditions ${depth} deep`, `{"query":${JSON.stringify(query)},"variables":{"w":${deep(depth)}}}`),
    ),
    harmless(
      "20,000 values in a list",
      { query, variables: { w: { key: { _in: Array.from({ length: 20_000 }, (_, index) => `${index}`) } } } },
      '{"data":{"view_hijacks":[]}}',
    ),
    harmless(
      "200 KB of text",
      { query, variables: { w: { key: { _eq: "x".repeat(200_000) } } } },
      '{"data":{"view_hijacks":[]}}',
    ),
    harmless(
      "3,000 unused variables",
      { query: `query q(${times(3000, (index) => `$v${index}: Int`)}) { __typename }`, variables: {} },
      typename,
    ),
    refused("an undeclared variable", { query: "{ view_hijacks(limit: $l) { key } }", variables: { l: 1 } }),
  ];
});

const sql = [
  "' or '1'='1",
  "'; drop table routing.hijacks; --",
  "\\'; select pg_sleep(10); --",
  "$$; select 1; $$",
  "1) or (1=1",
  "%' or 1=1 --",
  '"; select 1',
  "x' union select password_hash from auth.users --",
  "'||(select current_user)||'",
  "\u02bc or 1=1",
  "\\u0027 or 1=1",
  "' and 1=cast((select version()) as int) --",
  "{{7*7}}",
  "${7*7}",
  "'/**/or/**/1=1#",
  "\\",
  "\\\\'",
  "`id`",
];

attacks("SQL in any text argument stays text", () =>
  sql.flatMap((text): Attack[] => {
    const variables = { t: text };
    const by = (operator: string, type = "String") =>
      `query q($t: ${type}!) { view_hijacks(where: {key: {${operator}: $t}}) { key } }`;
    const empty = '{"data":{"view_hijacks":[]}}';
    return [
      harmless(`_eq ${text}`, { query: by("_eq"), variables }, empty),
      harmless(
        `_gt and _lt ${text}`,
        { query: "query q($t: String!) { view_hijacks(where: {key: {_gt: $t, _lt: $t}}) { key } }", variables },
        empty,
      ),
      harmless(`_like ${text}`, { query: by("_like"), variables: { t: text.replaceAll("%", "\\%") } }, empty),
      harmless(`_in ${text}`, { query: by("_in", "[String!]"), variables: { t: [text, text] } }, empty),
      refused(`order_by ${text}`, {
        query: "query q($t: view_hijacks_order_by!) { view_hijacks(order_by: [$t]) { key } }",
        variables: { t: { key: text } },
      }),
      refused(`distinct_on ${text}`, {
        query: "query q($t: view_hijacks_select_column!) { view_hijacks(distinct_on: [$t]) { key } }",
        variables,
      }),
      refused(`limit ${text}`, { query: "query q($t: Int!) { view_hijacks(limit: $t) { key } }", variables }),
      refused(`a column ${text}`, { query: `{ view_hijacks(limit: 1) { ${text} } }` }),
      refused(`a time ${text}`, {
        query: "query q($t: timestamp!) { view_hijacks(where: {time_last: {_eq: $t}}) { key } }",
        variables,
      }),
      refused(`a number ${text}`, {
        query: "query q($t: bigint!) { view_hijacks(where: {hijack_as: {_eq: $t}}) { key } }",
        variables,
      }),
    ];
  }),
);

attacks("cancels patterns that run forever", () =>
  ["(a+)+$", "(a|a)*$", "(.*a){20}", "((a*)*)*$", "(?:(?:x+x+)+y){9}", "[[:alpha:]]{1,250}{1,250}"].flatMap((pattern) =>
    ["_regex", "_iregex", "_similar"].map((operator): Attack => ({
      name: `${operator} ${pattern}`,
      async run() {
        const query = `query q($p: String!) { view_bgpupdates(limit: 5, where: {service: {${operator}: $p}}) { type } }`;
        const { status, text, milliseconds } = await ask({ query, variables: { p: pattern } });
        if (status >= 500) return `${status} ${text.slice(0, 200)}`;
        return milliseconds > longest ? `it took ${Math.round(milliseconds)} ms` : undefined;
      },
    })),
  ),
);

attacks("without a token the schema is not readable either", () =>
  [
    "{ __schema { types { name } } }",
    "{ __schema { queryType { fields { name } } } }",
    '{ __type(name: "view_hijacks") { fields { name } } }',
    "query IntrospectionQuery { __schema { directives { name } } }",
    "{ __typename }",
    "{ __schema { __typename } }",
  ].flatMap((query) =>
    (
      [
        {},
        { authorization: "Bearer x.y.z" },
        { authorization: "" },
        { "x-hasura-role": "viewer" },
        { "x-hasura-role": "admin" },
        { "x-engine-access-key": "x".repeat(43) },
      ] as readonly Record<string, string>[]
    ).map((other): Attack => ({
      name: `${query} with ${JSON.stringify(other)}`,
      async run() {
        const { status, text } = await call("/api/graphql", { method: "POST", headers: other, body: { query } });
        return gotData(status, text);
      },
    })),
  ),
);
