/** Tests that the embedded engine is not affected by any published permission advisory of Hasura v2. packages/pins lists them. */
import { createEngine, type Engine } from "@routeql/engine";
import { advisories, type PermissionFeature } from "@routeql/pins/advisories";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type StartedDatabaseContainer, startDatabase } from "../harness/containers/database-container.ts";
import { sessionOf } from "./support/routing.ts";
import { sourceAt } from "./support/source.ts";

let database: StartedDatabaseContainer;
let engine: Engine;

const sql = `
  create table public.employee (id int primary key, name text, salary int, user_id text);
  create table public.note (id int primary key, employee_id int, body text, owner text);
  insert into public.employee values (1, 'ada', 100, 'u1'), (2, 'bob', 200, 'u2');
  insert into public.note values (1, 1, 'mine', 'u1'), (2, 1, 'secret of others', 'u2');
  create function public.notes_of(employee public.employee) returns setof public.note stable language sql
    as $$ select * from public.note n where n.employee_id = employee.id $$;`;

const own = { user_id: "X-Hasura-User-Id" };

beforeAll(async () => {
  database = await startDatabase();
  await using admin = await database.connect("bootstrap");
  await admin.query(sql);
  const tables = [
    {
      table: "employee",
      computed_fields: [{ name: "notes", definition: { function: "notes_of" } }],
      select_permissions: [
        { role: "user", permission: { columns: ["id", "name"], filter: {}, allow_aggregations: true } },
        { role: "paid", permission: { columns: ["id", "name", "salary"], filter: own, allow_aggregations: true } },
        { role: "named", permission: { columns: ["name"], filter: { id: { _lt: 0 } } } },
      ],
    },
    {
      table: "note",
      select_permissions: [
        { role: "user", permission: { columns: ["id", "body"], filter: { owner: "X-Hasura-User-Id" } } },
      ],
    },
  ];
  const inherited_roles = [
    { role_name: "both", role_set: ["paid", "named"] },
    { role_name: "nested", role_set: ["both", "named"] },
  ];
  const source = sourceAt(database.getConnectionUri("bootstrap"), { tables });
  engine = await createEngine({ metadata: { version: 3, sources: [source], inherited_roles }, poolSize: 1 });
});

afterAll(async () => {
  await engine.close();
  await database.stop();
});

const ask = async (role: string, query: string): Promise<unknown> =>
  JSON.parse(await engine.execute({ query }, sessionOf(role, { "x-hasura-user-id": "u1" }))) as unknown;

const proven: Readonly<Record<PermissionFeature, () => void>> = {
  "table-computed-field": () => {
    test("a where on a table computed field sees only rows of the role", async () => {
      expect(
        await ask("user", '{ employee(where: {notes: {body: {_like: "mine%"}}}) { name notes { body } } }'),
      ).toEqual({ data: { employee: [{ name: "ada", notes: [{ body: "mine" }] }] } });
      expect(await ask("user", '{ employee(where: {notes: {body: {_like: "secret%"}}}) { name } }')).toEqual({
        data: { employee: [] },
      });
      expect(
        await ask("user", '{ employee_aggregate(where: {notes: {body: {_like: "secret%"}}}) { aggregate { count } } }'),
      ).toEqual({ data: { employee_aggregate: { aggregate: { count: 0 } } } });
      expect(await ask("admin", '{ employee(where: {notes: {body: {_like: "secret%"}}}) { name } }')).toEqual({
        data: { employee: [{ name: "ada" }] },
      });
    });
  },
  "nested-inherited-role": () => {
    test.each(["both", "nested"])("the role %s is limited to the filters and columns of its parents", async (role) => {
      expect(await ask(role, "{ employee { name salary } }")).toEqual({
        data: { employee: [{ name: "ada", salary: 100 }] },
      });
      // A comparison with a column that the role sees only in its own row reveals nothing about other rows.
      expect(await ask(role, "{ employee(where: {salary: {_gt: 150}}) { name } }")).toEqual({ data: { employee: [] } });
    });
  },
  "update-many": () => {
    test("no role has a mutation", async () => {
      expect(await ask("user", "{ __schema { mutationType { name } } }")).toEqual({
        data: { __schema: { mutationType: null } },
      });
      await expect(
        ask("user", 'mutation { update_employee_many(updates: [{where: {}, _set: {name: "x"}}]) { affected_rows } }'),
      ).rejects.toThrow();
    });
  },
};

describe.each(
  advisories.flatMap(({ ids, feature }) => (feature === undefined ? [] : [{ name: ids.join(", "), feature }])),
)("$name", ({ feature }) => proven[feature]());
