import { mkdirSync, mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { stringify } from "yaml";
import { createEngine, MetadataError, query, type Problem } from "@routeql/engine";
import type { StartedDatabaseContainer } from "../harness/containers/database-container.ts";
import { engineOn, library, startLibrary } from "./support/native-library.ts";
import { sourceAt } from "./support/source.ts";

let database: StartedDatabaseContainer;

beforeAll(async () => {
  database = await startLibrary();
});

afterAll(() => database.stop());

const model = { name: "numbers", fields: [{ name: "n", type: { scalar: "integer" } }] };
const numbers = { root_field_name: "numbers", code: "SELECT 1 AS n", returns: "numbers" };

async function problemsOf(contents: object): Promise<readonly Problem[]> {
  try {
    await (await engineOn(database, contents)).close();
    return [];
  } catch (error) {
    if (error instanceof MetadataError) return error.problems;
    throw error;
  }
}

const said = (problems: readonly Problem[]) => problems.map(({ path, reason }) => `${path}: ${reason}`);
const withQuery = (change: object, models: readonly object[] = [model], rest: object = {}) => ({
  logical_models: models,
  native_queries: [{ ...numbers, ...change }],
  ...rest,
});
const typed = (scalar: string) => [{ name: "numbers", fields: [{ name: "n", type: { scalar } }] }];
const path = "sources[0].native_queries[0]";
const refused = `${path}.code: Postgres rejects the query: `;

test.each([
  [`${refused}syntax error at or near "query"`, withQuery({ code: "query bad" })],
  [`${refused}relation "nothing" does not exist`, withQuery({ code: "SELECT n FROM nothing" })],
  [`${refused}syntax error at or near ";"`, withQuery({ code: "SELECT 1 AS n; SELECT 2" })],
  [
    `${refused}WITH clause containing a data-modifying statement must be at the top level`,
    withQuery({ code: "DELETE FROM author RETURNING id AS n" }),
  ],
  [`${refused}column _routeql_rows.n does not exist`, withQuery({ code: "SELECT 1 AS m" })],
  [`${refused}column reference "n" is ambiguous`, withQuery({ code: "SELECT 1 AS n, 2 AS n" })],
  [
    `${path}.code: the column n is of the type text; the logical model numbers says integer`,
    withQuery({ code: "SELECT 'a' AS n" }),
  ],
  [
    `${refused}operator does not exist: integer / text`,
    withQuery({ code: "SELECT 1 / {{by}} AS n", arguments: { by: { type: "text" } } }),
  ],
  [`${path}.code: the code uses {{x}}, which is not declared as an argument`, withQuery({ code: "SELECT {{x}} AS n" })],
  [`${path}.arguments.x: the code does not use this argument`, withQuery({ arguments: { x: { type: "int" } } })],
  [`${path}.code: {{ has no closing }}`, withQuery({ code: "SELECT {{x AS n" })],
  [
    `${path}.code: $1 is not an argument; write arguments as {{name}}`,
    withQuery({ code: "SELECT $1 + {{x}} AS n", arguments: { x: { type: "int" } } }),
  ],
  [
    `${path}.arguments.x.type: the database has no type nonsense for values`,
    withQuery({ code: "SELECT {{x}} AS n", arguments: { x: { type: "nonsense" } } }),
  ],
  [
    `${path}.arguments.x.type: "text[]" is not the name of a type; lists and lengths cannot be given here`,
    withQuery({ code: "SELECT {{x}} AS n", arguments: { x: { type: "text[]" } } }),
  ],
  [`${path}.returns: there is no logical model none`, withQuery({ returns: "none" })],
  [
    `${path}.array_relationships[0].using: public.author is not tracked`,
    withQuery({
      array_relationships: [{ name: "many", using: { remote_table: "author", column_mapping: { n: "id" } } }],
    }),
  ],
  [
    `${path}.object_relationships[0].using: there is no native query none`,
    withQuery({
      object_relationships: [{ name: "one", using: { remote_native_query: "none", column_mapping: { n: "n" } } }],
    }),
  ],
  [
    `${path}.object_relationships[0].using: the logical model numbers has no column m`,
    withQuery({
      object_relationships: [{ name: "one", using: { remote_native_query: "numbers", column_mapping: { m: "n" } } }],
    }),
  ],
  [
    `${path}.object_relationships[0].name: the native query has another field of the name n`,
    withQuery({
      object_relationships: [{ name: "n", using: { remote_native_query: "numbers", column_mapping: { n: "n" } } }],
    }),
  ],
  [
    "sources[0].tables[0].object_relationships[0]: there is no native query none",
    withQuery({}, [model], {
      tables: [
        {
          table: "author",
          object_relationships: [
            {
              name: "one",
              using: { manual_configuration: { remote_native_query: "none", column_mapping: { id: "n" } } },
            },
          ],
        },
      ],
    }),
  ],
  [
    `${path}.returns: the field next of the logical model numbers needs a relationship of that name`,
    withQuery({}, [{ ...model, fields: [...model.fields, { name: "next", type: { logical_model: "numbers" } }] }]),
  ],
  [
    `${path}.root_field_name: the native query author would define the root field author, which public.author defines`,
    withQuery({ root_field_name: "author" }, [model], { tables: [{ table: "author" }] }),
  ],
  [
    "sources[0].logical_models[0]: the logical model author would define the type author_order_by, which public.author defines",
    withQuery({ returns: "author" }, [{ ...model, name: "author" }], { tables: [{ table: "author" }] }),
  ],
  [
    "sources[0].logical_models[0].fields[0]: there is no logical model none",
    { logical_models: [{ ...model, fields: [{ name: "x", type: { array: { logical_model: "none" } } }] }] },
  ],
  [
    "sources[0].logical_models[0].fields[0]: the database has no type void for values",
    { logical_models: typed("void") },
  ],
  [
    "sources[0].logical_models[0].select_permissions[0].permission.columns[0]: the logical model numbers has no column m",
    { logical_models: [{ ...model, select_permissions: [{ role: "a", permission: { columns: ["m"], filter: {} } }] }] },
  ],
  [
    "sources[0].logical_models[0].select_permissions[0].permission.filter.m: the logical model numbers has no column, relationship or computed field m",
    {
      logical_models: [
        { ...model, select_permissions: [{ role: "a", permission: { columns: "*", filter: { m: 1 } } }] },
      ],
    },
  ],
  [
    "sources[0].logical_models[0].select_permissions[0].permission.filter.n._eq: parsing Integer expected for input type: PGInteger failed, expected Number, but encountered Boolean",
    {
      logical_models: [
        { ...model, select_permissions: [{ role: "a", permission: { columns: "*", filter: { n: { _eq: true } } } }] },
      ],
    },
  ],
  [
    "sources[0].logical_models[0].select_permissions[0].role: the role admin has access to everything; remove its permission",
    {
      logical_models: [{ ...model, select_permissions: [{ role: "admin", permission: { columns: "*", filter: {} } }] }],
    },
  ],
  [`${path}.kind: unknown key`, withQuery({ kind: "query" })],
  [
    "sources[0].logical_models[0].fields[0].type.array: Hasura knows this, but this engine does not serve lists in the rows of native queries, nor does Hasura for Postgres",
    { logical_models: [{ ...model, fields: [{ name: "n", type: { array: { scalar: "text" } } }] }] },
  ],
])("reports when metadata is read: %s", async (expected, contents) => {
  expect(said(await problemsOf(contents))).toContain(expected);
});

test.each([["integer"], ["int4"], ["INT"]])("accepts %s as a name of the integer type", async (scalar) => {
  expect(await problemsOf(withQuery({}, typed(scalar)))).toEqual([]);
});

test("ignores placeholders in literals and comments of the code", async () => {
  const code = `SELECT 1 AS n WHERE '$1' <> 'it''s $2' AND E'\\'$3' <> $tag$ $4 $tag$ -- $5\n AND /* $6 */ "author" IS NULL`;
  expect(said(await problemsOf(withQuery({ code })))).toEqual([`${refused}column "author" does not exist`]);
});

test("checks code without running it", async () => {
  await using admin = await database.connect("bootstrap");
  await admin.query(
    "create sequence if not exists public.runs; create or replace function public.run(n int) returns int volatile language sql as 'select nextval(''public.runs'')::int'",
  );
  await admin.query(
    "create or replace function public.strict_about(n int) returns int immutable language plpgsql as 'begin if n is null then raise exception ''null''; end if; return n; end'",
  );
  expect(
    await problemsOf(
      withQuery({
        code: "SELECT run({{x}}) + strict_about({{x}}) AS n LIMIT {{x}}",
        arguments: { x: { type: "int" } },
      }),
    ),
  ).toEqual([]);
  expect((await admin.query<{ is_called: boolean }>("select is_called from public.runs")).rows).toEqual([
    { is_called: false },
  ]);
});

test("omits invalid objects if allowed, and serves the rest", async () => {
  const broken = { ...numbers, root_field_name: "broken", code: "SELECT 1" };
  const toBroken = { name: "again", using: { remote_native_query: "broken", column_mapping: { n: "n" } } };
  const engine = await engineOn(
    database,
    { logical_models: [model], native_queries: [broken, { ...numbers, object_relationships: [toBroken] }] },
    { allowInconsistent: true },
  );
  expect(engine.inconsistencies.map(({ type, name }) => [type, name])).toEqual([
    ["native_query", "broken"],
    ["object_relationship", "numbers.again"],
  ]);
  expect(await query(engine, "admin", {}, "{ numbers { n } }")).toEqual({ numbers: [{ n: 1 }] });
  expect(engine.schemaText("admin")).not.toContain("broken");
  await engine.close();
});

test("shows a problem of a directory with its file and line", async () => {
  using directory = mkdtempDisposableSync(join(tmpdir(), "routeql-metadata-"));
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(directory.path, file)), { recursive: true });
    writeFileSync(join(directory.path, file), text);
  };
  const { tables: _, ...source } = sourceAt(database.getConnectionUri("bootstrap"), { tables: [] });
  write("version.yaml", "version: 3\n");
  write(
    "databases/databases.yaml",
    stringify([
      {
        ...source,
        tables: [],
        logical_models: "!include default/logical_models/logical_models.yaml",
        native_queries: "!include default/native_queries/native_queries.yaml",
      },
    ]),
  );
  write("databases/default/logical_models/logical_models.yaml", stringify([model]));
  write(
    "databases/default/native_queries/native_queries.yaml",
    "- root_field_name: numbers\n  returns: numbers\n  code: |-\n    SELECT 1 AS m\n",
  );
  const problems = await createEngine({ metadata: directory.path }).then(
    () => [],
    (error: unknown) => (error as MetadataError).problems,
  );
  expect(problems).toMatchObject([
    { file: "databases/default/native_queries/native_queries.yaml", path: "[0].code", line: 3, kind: "inconsistent" },
  ]);
});

test("every object of the tests' library is valid", async () => {
  expect(await problemsOf(library)).toEqual([]);
});
