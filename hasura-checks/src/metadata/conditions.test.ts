import { describe, expect, test } from "vitest";
import { isAlwaysTrue } from "../diff/formula.ts";
import { columnsHeldToSession } from "./conditions.ts";

const columns = { isColumn: (name: string) => name !== "tags", isNeverNull: (name: string) => name === "id" };
const session = { owner: "X-Hasura-User-Id" };

describe("a condition that selects every row", () => {
  test.each([
    [{}],
    [{ _and: [] }],
    [{ _and: [{}, { $and: [{}] }] }],
    [{ _or: [{}] }],
    [{ _or: [session, { _and: [] }] }],
    [{ _not: { _or: [] } }],
    [{ _not: { _and: [session, { _or: [] }] } }],
    [{ _not: { _not: {} } }],
    [{ owner: {} }],
    [{ id: { _is_null: false } }],
    [{ _or: [session, { id: { $is_null: false } }] }],
    [{ _not: { id: { _is_null: true } } }],
    [{ _exists: { _table: { schema: "public", name: "note" }, _where: {} } }],
  ])("is %j", (condition) => expect(isAlwaysTrue(condition, columns)).toBe(true));
});

describe("a condition that depends on the row or the session", () => {
  test.each([
    [session],
    [{ _or: [] }],
    [{ _or: [session] }],
    [{ _and: [{}, session] }],
    [{ _not: {} }],
    [{ _not: { _or: [session] } }],
    [{ tags: {} }],
    [{ owner: { _is_null: false } }],
    [{ id: { _is_null: true } }],
    [{ id: { _is_null: false, _gt: 5 } }],
    [{ _not: { id: { _is_null: false } } }],
    [{ _exists: { _table: { schema: "public", name: "note" }, _where: { id: { _is_null: false } } } }],
    [{ owner: { _eq: "" } }],
    [{ owner: null }],
    [{ _exists: { _table: { schema: "public", name: "note" }, _where: session } }],
    ["X-Hasura-Filter"],
  ])("is %j", (condition) => expect(isAlwaysTrue(condition, columns)).toBe(false));
});

test("finds the columns that are always compared with the session for equality", () => {
  expect(
    columnsHeldToSession({
      owner: { _eq: "X-Hasura-User-Id" },
      _and: [{ org: { _in: "x-hasura-orgs" } }, { team: "X-Hasura-Team" }],
    }),
  ).toEqual(["owner", "org", "team"]);
  expect(columnsHeldToSession({ _or: [session], title: { _eq: "a" }, owner: { _neq: "X-Hasura-User-Id" } })).toEqual(
    [],
  );
});
