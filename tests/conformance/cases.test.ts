import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parse } from "yaml";
import { indentQuoted, readFixtures } from "./cases.ts";

let root = "";

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "routeql-cases-"));
  mkdirSync(join(root, "basic"));
});

afterEach(() => rmSync(root, { recursive: true }));

test("reads a folder's setup, cases and helpers, without teardowns", () => {
  const files = {
    "setup.yaml":
      "type: bulk\nargs:\n- {type: run_sql, args: {sql: select 1}}\n- {type: bulk, args: [{type: track_table, args: a}]}\n",
    "teardown.yaml": "type: run_sql\nargs: {sql: drop}\n",
    "helper.yaml": "type: pg_create_function_permission\nargs: {role: a, function: f}\n",
    "one.yaml": "url: /v1/graphql\nquery: {query: '{ a }'}\nresponse: {data: {a: []}}\n",
    "two.yaml":
      "- {url: /v1/graphql, status: 200, headers: {X-Hasura-User-Id: 1}, query: {}}\n- {url: /v1/query, status: 400, query: {type: run_sql}}\n",
    "driven.yaml": "- {insert: 1}\n",
    "live.yaml": "query: subscription { a }\nvariables_same: [{x: 1}]\n",
    "empty.yaml": "",
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, "basic", name), text);
  const [folder, ...others] = readFixtures(root);
  expect(others).toEqual([]);
  expect(folder?.setup.map(({ type }) => type)).toEqual(["run_sql", "track_table"]);
  expect(folder?.helpers.map(({ name }) => name)).toEqual(["helper.yaml"]);
  expect(folder?.cases.map(({ name, steps, unusable }) => [name, steps.length, unusable !== undefined])).toEqual([
    ["driven", 0, true],
    ["empty", 0, true],
    ["live", 0, false],
    ["one", 1, false],
    ["two", 2, false],
  ]);
  expect(folder?.cases[2]?.liveQuery).toEqual({
    query: "subscription { a }",
    representative: undefined,
    same: [{ x: 1 }],
    different: [],
  });
  expect(folder?.cases[4]?.steps[0]).toMatchObject({ status: 200, headers: { "X-Hasura-User-Id": "1" } });
});

test("later lines of a quoted text may be indented as little as their key", () => {
  const text = '- description: "one\n  two \\"three\\"\n  four"\n  url: /v1/graphql\n';
  expect(parse(indentQuoted(text))).toEqual([{ description: 'one two "three" four', url: "/v1/graphql" }]);
});
