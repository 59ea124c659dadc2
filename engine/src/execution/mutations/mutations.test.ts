import { describe, expect, test } from "vitest";
import { readOperation } from "../document/document.ts";
import { Variables } from "../document/variables.ts";
import { defaultCostLimits } from "../../cost/limits.ts";
import { bytesOf, textOf } from "../../postgres/bytes.ts";
import type { Row } from "../../postgres/connection.ts";
import { stateOf, type World } from "../../testing/world.ts";
import { planMutation } from "./plan.ts";
import { requireSession } from "./require-session.ts";
import { MutationRun } from "./run.ts";

const world: World = {
  tables: {
    author: { columns: { id: "int4 not null", name: "text", age: "int4" }, primaryKey: ["id"] },
    article: {
      columns: { id: "int4 not null", title: "text not null", author_id: "int4" },
      primaryKey: ["id"],
      references: [{ columns: ["author_id"], table: "author", targetColumns: ["id"] }],
    },
  },
  metadata: {
    author: {
      array_relationships: [
        { name: "articles", using: { foreign_key_constraint_on: { table: "article", column: "author_id" } } },
      ],
      select_permissions: [{ role: "writer", permission: { columns: ["id", "name"], filter: {} } }],
      insert_permissions: [
        { role: "writer", permission: { columns: ["name"], check: { age: { _gt: 0 } }, set: { age: "X-Hasura-Age" } } },
        { role: "service", permission: { check: {}, backend_only: true } },
        { role: "chief", permission: { columns: ["name"], check: {} } },
      ],
      update_permissions: [
        { role: "writer", permission: { columns: ["name"], filter: { id: { _eq: "X-Hasura-User-Id" } }, check: null } },
      ],
    },
    article: {
      insert_permissions: [
        { role: "chief", permission: { columns: ["title"], check: { id: { _gt: "X-Hasura-First" } } } },
      ],
    },
  },
  root: { inherited_roles: [{ role_name: "both", role_set: ["writer", "service"] }] },
};

const limits = {
  ...defaultCostLimits,
  maxDepth: 20,
  maxBreadth: 1000,
  stringifyNumericTypes: false,
  collapseNullComparisons: false,
  introspection: true,
};

const state = await stateOf(world);

interface Asked {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Statements of a mutation, whose rows are all `answer`, and its last reply. */
async function run(
  role: string,
  query: string,
  answer: readonly (string | null)[] = ["{}", "t", "1", "7"],
  given: Readonly<Record<string, string>> = { "x-hasura-user-id": "1", "x-hasura-age": "30" },
) {
  const operation = readOperation(query, null);
  const variables = new Variables(operation, {}, new Set());
  const { writes, spending } = planMutation(state.schema(role), operation, variables, { ...limits, role });
  const asked: Asked[] = [];
  const row: Row = answer.map((text) => (text === null ? null : bytesOf(text)));
  const session = { role, isAdmin: false, variables: new Map(Object.entries(given)) };
  requireSession(
    writes.map(({ write }) => write),
    session,
    spending,
  );
  const mutation = new MutationRun(
    (text, values) => {
      asked.push({ text, values });
      return Promise.resolve([row]);
    },
    session,
    {},
    spending,
  );
  let reply = "";
  for (const { write } of writes) reply = textOf(await mutation.run(write));
  return { asked, reply };
}

describe("mutation_root of a role", () => {
  const fieldsOf = (role: string, isBackend = false) =>
    Object.keys(state.schema(role, isBackend).mutation?.getFields() ?? {});

  test("has the fields of its write permissions", () => {
    expect(fieldsOf("writer")).toEqual([
      "insert_author",
      "insert_author_one",
      "update_author",
      "update_author_by_pk",
      "update_author_many",
    ]);
    expect(fieldsOf("admin")).toHaveLength(14);
  });

  test("is absent without write permissions", () => {
    expect(state.schema("reader").mutation).toBeUndefined();
  });

  test("has backend_only fields only for a backend", () => {
    expect(fieldsOf("service")).toEqual([]);
    expect(fieldsOf("service", true)).toEqual(["insert_author"]);
  });

  test("below a namespace has a type for all clients and one for backends", async () => {
    const named = await stateOf({ ...world, customization: { root_fields: { namespace: "shop" } } });
    const typeFor = (isBackend: boolean) =>
      String(named.schema("service", isBackend).mutation?.getFields()["shop"]?.type);
    expect([typeFor(false), typeFor(true)]).toEqual(["undefined", "shop_mutation_backend"]);
    expect(String(named.schema("admin").mutation?.getFields()["shop"]?.type)).toBe("shop_mutation_frontend");
  });

  test("omits inherited permissions that contradict each other", () => {
    expect(fieldsOf("both", true)).toEqual(["update_author", "update_author_by_pk", "update_author_many"]);
  });

  test("is absent with mutations: false", async () => {
    const readOnly = await stateOf(world, { mutations: false });
    expect(readOnly.schema("admin").mutation).toBeUndefined();
  });
});

describe("an insert", () => {
  test("accepts a nullable variable for a key with a default, and its value is not null", async () => {
    const conflict = "on_conflict: {constraint: author_pkey, update_columns: $names}";
    const query = `mutation ($names: [author_update_column!]) { insert_author(objects: {id: 1}, ${conflict}) { affected_rows } }`;
    await expect(run("admin", query)).rejects.toThrow("expected a list, but found null");
  });

  test("adds presets and the check", async () => {
    const { asked } = await run("writer", 'mutation { insert_author(objects: {name: "a"}) { affected_rows } }');
    expect(asked).toHaveLength(1);
    expect(asked[0]?.text).toContain('INSERT INTO "public"."author" AS "t" ("name", "age") VALUES');
    expect(asked[0]?.text).toContain('AS "_check"');
    expect(asked[0]?.values).toEqual(expect.arrayContaining(["a", "30", "0"]));
  });

  test("of no rows needs the session variables of its presets", async () => {
    const inserting = run("writer", "mutation { insert_author(objects: []) { affected_rows } }", [], {});
    await expect(inserting).rejects.toMatchObject({ code: "not-found" });
  });

  test("needs the session variables of related rows and of all fields before its first row", async () => {
    const object = '{name: "a", articles: {data: [{title: "b"}]}}';
    for (const first of ["", 'first: insert_author(objects: [{name: "a"}]) { affected_rows }'])
      await expect(
        run("chief", `mutation { ${first} insert_author(objects: [${object}]) { affected_rows } }`, ["{}", "f"]),
      ).rejects.toMatchObject({ code: "not-found" });
  });

  test("fails when a row does not pass the check", async () => {
    const inserting = run("writer", 'mutation { insert_author(objects: {name: "a"}) { affected_rows } }', ["{}", "f"]);
    await expect(inserting).rejects.toMatchObject({
      code: "permission-error",
      path: "$.selectionSet.insert_author.args.objects",
    });
  });

  test("of many rows with equal columns has one parameter for each column", async () => {
    const objects = Array.from({ length: 500 }, (_row, index) => `{id: ${index}, name: "a"}`).join(" ");
    const { asked } = await run("admin", `mutation { insert_author(objects: [${objects}]) { affected_rows } }`);
    expect(asked[0]?.values).toHaveLength(2);
  });

  test("gives nested rows the key of their parent", async () => {
    const nested = '{id: 7, articles: {data: [{id: 1, title: "x"}]}}';
    const { asked } = await run("admin", `mutation { insert_author(objects: ${nested}) { affected_rows } }`);
    expect(asked.map(({ text }) => /INSERT INTO "public"."(\w+)"/.exec(text)?.[1])).toEqual([
      "author",
      "article",
      undefined,
    ]);
    expect(asked[1]?.values).toContain("7");
  });

  test("rejects a value that the parent determines", async () => {
    const nested = '{id: 7, articles: {data: [{id: 1, title: "x", author_id: 2}]}}';
    await expect(
      run("admin", `mutation { insert_author(objects: ${nested}) { affected_rows } }`),
    ).rejects.toMatchObject({ path: "$.selectionSet.insert_author.args.objects[0].articles.data[0]" });
  });
});

describe("an update", () => {
  test("applies the permission's filter", async () => {
    const { asked } = await run("writer", 'mutation { update_author(where: {}, _set: {name: "a"}) { affected_rows } }');
    expect(asked[0]?.text).toMatch(/UPDATE "public"."author" AS "t" SET "name" = .* WHERE \("t"."id" = /);
    expect(asked[0]?.values).toContain("1");
  });

  test.each([
    ["update_author(where: {}) { affected_rows returning { id } }", '{"affected_rows":0,"returning":[]}'],
    ["update_author_by_pk(pk_columns: {id: 1}) { id }", "{}"],
    ["update_author_many(updates: []) { affected_rows }", "[]"],
  ])("without operators runs no statement: %s", async (field, reply) => {
    expect(await run("writer", `mutation { ${field} }`)).toEqual({ asked: [], reply });
  });

  test("rejects a column in two operators", async () => {
    await expect(
      run("admin", "mutation { update_author(where: {}, _set: {age: 1}, _inc: {age: 1}) { affected_rows } }"),
    ).rejects.toThrow("Column found in multiple operators: ['age'].");
  });

  test("reads rows with relationships after the change", async () => {
    const field = 'update_author(where: {}, _set: {name: "a"}) { returning { articles { id } } }';
    const { asked } = await run("admin", `mutation { ${field} }`);
    expect(asked).toHaveLength(2);
    expect(asked[1]?.text).toContain('FROM unnest(($1::"public"."author"[]))');
  });
});
