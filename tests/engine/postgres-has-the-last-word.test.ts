import { afterAll, beforeAll, expect, test } from "vitest";
import { createEngine, type Engine } from "@routeql/engine";
import { startDatabase, type StartedDatabaseContainer } from "../harness/containers/database-container.ts";
import { sessionOf } from "./support/routing.ts";
import { sourceAt } from "./support/source.ts";

let database: StartedDatabaseContainer;
const metadata = (url: string) => ({
  version: 3,
  sources: [
    sourceAt(url, {
      tables: [
        {
          table: "team",
          array_relationships: [
            { name: "members", using: { foreign_key_constraint_on: { table: "member", column: "team_id" } } },
          ],
          select_permissions: [{ role: "reader", permission: { columns: "*", filter: {} } }],
        },
        { table: "greedy" },
        {
          table: "member",
          object_relationships: [{ name: "team", using: { foreign_key_constraint_on: "team_id" } }],
          select_permissions: [
            { role: "reader", permission: { columns: ["id", "team_id"], filter: {} } },
            {
              role: "insider",
              permission: { columns: ["id", "nick", "team_id"], filter: { team: { open: { _eq: true } } } },
            },
          ],
        },
      ],
    }),
  ],
  inherited_roles: [{ role_name: "both", role_set: ["reader", "insider"] }],
});

let engine: Engine;

beforeAll(async () => {
  database = await startDatabase();
  await using admin = await database.connect("bootstrap");
  await admin.query(`
    create table public.team (id int primary key, open boolean not null);
    create table public.member (id int primary key, team_id int not null references public.team, nick text, ranks int[], facts jsonb);
    create function public.take_all_memory() returns int language plpgsql as $$ begin raise exception 'out of memory' using errcode = 'out_of_memory'; end $$;
    create view public.greedy as select public.take_all_memory() as id;
    insert into public.team values (1, true), (2, false);
    insert into public.member values
      (1, 1, 'a', '{1,2}', '{"x": {"y z": [1, 2]}}'), (2, 1, 'a', '{3}', '{}'), (3, 1, 'b', null, null), (4, 2, 'c', '{}', '{}');`);
  engine = await createEngine({ metadata: metadata(database.getConnectionUri("bootstrap")) });
});

afterAll(async () => {
  await engine.close();
  await database.stop();
});

async function ask(
  query: string,
  variables: Record<string, unknown> = {},
  role = "admin",
  asked = engine,
): Promise<unknown> {
  const answer = JSON.parse(await asked.execute({ query, variables }, sessionOf(role, {}))) as {
    data: { member: unknown };
  };
  return answer.data.member;
}

test("a statement beyond its memory limit fails with a remedy", async () => {
  await expect(ask("{ greedy { id } }")).rejects.toMatchObject({
    code: "unexpected",
    message: "the statement exceeded the memory limit for one statement. Request fewer rows or less nesting",
  });
});

test("cells hidden by a condition on related rows can be made distinct", async () => {
  const query = "{ member(distinct_on: nick, order_by: [{nick: asc}, {id: desc}]) { id nick } }";
  expect(await ask(query, {}, "both")).toEqual([
    { id: 2, nick: "a" },
    { id: 3, nick: "b" },
    { id: 4, nick: null },
  ]);
});

test("a distinct column may be listed twice", async () => {
  const ids = async (given: string) =>
    ((await ask(`{ member(${given}) { id } }`)) as readonly { id: number }[]).map(({ id }) => id);
  expect(await ids("distinct_on: [team_id, team_id], order_by: [{team_id: asc}, {id: asc}]")).toEqual([1, 4]);
  await expect(ids("distinct_on: [team_id, team_id], order_by: {team_id: asc}")).rejects.toMatchObject({
    code: "validation-failed",
    path: "$.selectionSet.member.args",
    message: '"distinct_on" columns must match initial "order_by" columns',
  });
});

test("reads JSON paths as Hasura does and rejects invalid ones at the arguments", async () => {
  expect(await ask(`{ member(where: {id: {_eq: 1}}) { facts(path: "$.x['y z'][1]") } }`)).toEqual([{ facts: 2 }]);
  await expect(ask('{ member { facts(path: "$..x") } }')).rejects.toMatchObject({
    code: "validation-failed",
    path: "$.selectionSet.member.selectionSet.facts.args",
    message: expect.stringMatching(/^parse json path error: \$\.\.x\. Accept letters/) as string,
  });
});

test("compares arrays with arrays and reports Postgres' errors as Hasura does", async () => {
  expect(await ask("{ member(where: {ranks: {_eq: [3]}}) { id } }")).toEqual([{ id: 2 }]);
  expect(
    await ask("query($ranks: [Int!]) { member(where: {ranks: {_contains: $ranks}}) { id } }", { ranks: [2] }),
  ).toEqual([{ id: 1 }]);
  await expect(ask("{ member(where: {ranks: {_in: [[3]]}}) { id } }")).rejects.toMatchObject({
    code: "unexpected",
    path: "$",
    message: "database query error",
  });
  await expect(ask('{ member(where: {facts: {_jsonb_path_exists: "$["}}) { id } }')).rejects.toMatchObject({
    code: "unexpected",
    path: "$",
  });
  await expect(ask('{ member(where: {ranks: {_eq: "{1"}}) { id } }')).rejects.toMatchObject({
    code: "data-exception",
    path: "$",
  });
  await expect(ask('{ member(where: {nick: {_regex: "("}}) { id } }')).rejects.toMatchObject({
    code: "data-exception",
    path: "$",
  });
  await expect(ask('{ member(where: {nick: {_like: "\\\\"}}) { id } }')).rejects.toMatchObject({
    code: "bad-request",
    path: "$",
  });
});

test("rejects an operator with null, or omits it with the collapse setting", { timeout: 60_000 }, async () => {
  const query =
    "query($nick: String, $ids: [Int!], $none: Boolean) { member(where: {nick: {_eq: $nick, _is_null: $none}, id: {_in: $ids}}, order_by: {id: asc}) { id } }";
  const literal = "{ member(where: {nick: {_eq: null, _like: null}, id: {_gt: 2, _in: null}}) { id } }";
  await expect(ask(query, { nick: null, ids: [1], none: false })).rejects.toMatchObject({
    code: "validation-failed",
    path: "$.selectionSet.member.args.where.nick._eq",
  });
  const lax = await createEngine({
    metadata: metadata(database.getConnectionUri("bootstrap")),
    collapseNullComparisons: true,
  });
  try {
    const ids = async (variables: Record<string, unknown>) =>
      ((await ask(query, variables, "admin", lax)) as readonly { id: number }[]).map(({ id }) => id);
    expect(await ids({ nick: null, ids: null, none: null })).toEqual([1, 2, 3, 4]);
    expect(await ids({ nick: "a", ids: null, none: null })).toEqual([1, 2]);
    expect(await ids({ nick: null, ids: [2, 4], none: false })).toEqual([2, 4]);
    expect(await ids({ nick: null, ids: null, none: true })).toEqual([]);
    expect(await ask(literal, {}, "admin", lax)).toEqual([{ id: 3 }, { id: 4 }]);
    const predicate =
      "query($n: Int) { member: team(where: {members_aggregate: {count: {predicate: {_gt: $n}}}}, order_by: {id: asc}) { id } }";
    expect(await ask(predicate, { n: null }, "admin", lax)).toEqual([{ id: 1 }, { id: 2 }]);
    expect(await ask(predicate, { n: 1 }, "admin", lax)).toEqual([{ id: 1 }]);
  } finally {
    await lax.close();
  }
});
