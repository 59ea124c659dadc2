import { globSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { loadMetadata } from "@routeql/metadata/read/load";
import { locks } from "@routeql/auth-sidecar/database";
import {
  type DatabaseRole,
  startDatabase,
  type StartedDatabaseContainer,
} from "../harness/containers/database-container.ts";
import { rowsOf } from "./support.ts";

/** Sources with every statement that a service runs under its role. */
const sources: Partial<Record<DatabaseRole, readonly string[]>> = {
  sidecar: ["auth-sidecar/src/**/*.ts"],
  loader: ["{routing,packages/database-access}/**/*.{ts,sql}"],
};

const table = String.raw`((?:auth|routing|migrations|public)\.[a-z_]+)\b(?!\()`;
const verbs = {
  insert: new RegExp(`\\binsert into ${table}`, "g"),
  update: new RegExp(`\\bupdate ${table}`, "g"),
  delete: new RegExp(`\\bdelete from ${table}`, "g"),
  // A changed row is also read: by its condition, by `returning` or by `on conflict`.
  select: new RegExp(`\\b(?:from|join|insert into|update) ${table}`, "g"),
} as const;

/** `insert auth.users` and so on: all that the statements in the code need. */
function needed(patterns: readonly string[]): string[] {
  const files = globSync([...patterns], { exclude: (name) => name.endsWith(".test.ts") });
  expect(files.length).toBeGreaterThan(5);
  const text = files.map((file) => readFileSync(file, "utf8")).join("\n");
  const found = Object.entries(verbs).flatMap(([verb, pattern]) =>
    [...text.matchAll(pattern)].map(([, name]) => `${verb} ${name}`),
  );
  const upserts = text.matchAll(new RegExp(`\\binsert into ${table}[^;\`]*?\\bdo update\\b`, "g"));
  for (const [, name] of upserts) found.push(`update ${name}`);
  return [...new Set(found)].toSorted();
}

/** `update view_hijacks.seen` and so on, for every column that a role of the metadata may insert or update. */
function writePermissions(): ReadonlySet<string> {
  const permission = z.object({
    permission: z.object({ columns: z.array(z.string()), set: z.record(z.string(), z.unknown()).default({}) }),
  });
  const table = z.object({
    table: z.object({ name: z.string() }),
    insert_permissions: z.array(permission).default([]),
    update_permissions: z.array(permission).default([]),
    delete_permissions: z.array(z.unknown()).max(0).default([]),
  });
  const { sources } = z
    .object({ sources: z.array(z.object({ tables: z.array(table) })) })
    .parse(loadMetadata("hasura-metadata").merged);
  const rights = new Set<string>();
  for (const one of sources.flatMap(({ tables }) => tables))
    for (const verb of ["insert", "update"] as const)
      for (const {
        permission: { columns, set },
      } of one[`${verb}_permissions`])
        for (const column of [...columns, ...Object.keys(set)]) rights.add(`${verb} ${one.table.name}.${column}`);
  return rights;
}

describe("each role of a service may do what its statements need, and no more", () => {
  let database: StartedDatabaseContainer;
  beforeAll(async () => void (database = await startDatabase()), 180_000);
  afterAll(async () => database?.stop());

  const answers = async (statement: string, role: DatabaseRole): Promise<string[]> =>
    (await rowsOf(database, "bootstrap", statement, [`routeql_${role}`])).map((row) => (row as { a: string }).a);

  /** Tables with their own privileges; a partition has those of its table. */
  const onTables = `select verb || ' ' || c.oid::regclass as a from pg_class c,
      unnest(array['select', 'insert', 'update', 'delete', 'truncate', 'references', 'trigger']) verb
    where relnamespace::regnamespace::text in ('auth', 'routing', 'migrations', 'public', 'hdb_catalog') and relkind in ('r', 'p', 'v') and not relispartition
      and (has_table_privilege($1, c.oid, verb)
        or (verb in ('select', 'insert', 'update', 'references') and has_any_column_privilege($1, c.oid, verb)))
    order by 1`;

  test.each(Object.entries(sources) as [DatabaseRole, readonly string[]][])("tables of %s", async (role, patterns) => {
    expect((await answers(onTables, role)).toSorted()).toEqual(needed(patterns));
  });

  test("the engine reads its views and writes the columns of the metadata's write permissions", async () => {
    const columns = `select verb || ' ' || table_name || '.' || column_name as a from information_schema.columns,
        unnest(array['insert', 'update', 'references']) verb
      where table_schema = 'public' and has_column_privilege($1, format('%I.%I', table_schema, table_name), column_name, verb)`;
    const granted = writePermissions();
    expect(granted.size).toBeGreaterThan(0);
    expect(new Set(await answers(columns, "engine"))).toEqual(granted);
    const tables = new Set([...granted].map((right) => right.split(".")[0]));
    expect(
      (await answers(onTables, "engine")).filter((right) => !right.startsWith("select view_") && !tables.has(right)),
    ).toEqual([]);
  });

  test("a backup reads", async () => {
    expect((await answers(onTables, "backup")).filter((right) => !right.startsWith("select "))).toEqual([]);
  });

  test.each<DatabaseRole>(["engine", "sidecar"])("%s calls no function that writes or locks", async (role) => {
    const functions = `select proname::text as a from pg_proc where pronamespace = 'pg_catalog'::regnamespace
      and proname ~ '^(lo_|loread|lowrite|pg_(try_)?advisory|pg_notify|pg_logical_emit_message|pg_export_snapshot|pg_terminate)'
      and has_function_privilege($1, oid, 'execute')`;
    expect(await answers(functions, role)).toEqual([]);
    const own = `select oid::regprocedure::text as a from pg_proc where pronamespace::regnamespace::text in ('auth', 'routing', 'migrations', 'public')
      and has_function_privilege($1, oid, 'execute') order by a`;
    const listening = ["start_listening(oid[])", "stop_listening(oid[])", "tables_read_by(oid[],oid[])"];
    expect(await answers(own, role)).toEqual(role === "sidecar" ? ["auth.take_turn(bigint)"] : listening);
  });

  test("the sidecar takes its own locks only", async () => {
    for (const lock of Object.values(locks))
      expect(await rowsOf(database, "sidecar", "select auth.take_turn($1) is not null as taken", [lock])).toHaveLength(
        1,
      );
    await expect(rowsOf(database, "sidecar", "select auth.take_turn(7241865325823966)")).rejects.toThrow(
      "takes the locks of the auth sidecar",
    );
  });
});
