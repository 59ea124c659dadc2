import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startConformanceDatabase, type ConformanceDatabase } from "./database.ts";
import { runFixtures, type Result } from "./run.ts";

let database: ConformanceDatabase;
let root = "";

beforeAll(async () => {
  database = await startConformanceDatabase();
}, 600_000);

afterAll(() => database[Symbol.asyncDispose]());

/**
 * Runs folders of files; returns each case's result over both transports, or the common reason.
 * @param below folder to start from; by default all
 */
async function outcomes(
  folders: Readonly<Record<string, Readonly<Record<string, string>>>>,
  below = ".",
): Promise<Record<string, string>> {
  root = mkdtempSync(join(tmpdir(), "routeql-runner-"));
  try {
    for (const [folder, files] of Object.entries(folders)) {
      mkdirSync(join(root, folder), { recursive: true });
      for (const [name, text] of Object.entries(files)) writeFileSync(join(root, folder, name), text);
    }
    const results = await runFixtures({
      fixtures: join(root, below),
      filter: undefined,
      database: database.address,
      onResult: () => undefined,
    });
    const told = new Map<string, Set<string>>();
    for (const result of results) {
      const name = `${result.folder}/${result.name}`;
      told.set(name, (told.get(name) ?? new Set()).add(tell(result)));
    }
    return Object.fromEntries([...told].map(([name, outcome]) => [name, [...outcome].join(" | ")]));
  } finally {
    rmSync(root, { recursive: true });
  }
}

function tell({ outcome }: Result): string {
  if (outcome.kind === "passed") return ["passed", ...outcome.notes].join("; ");
  return outcome.kind === "skipped" ? `skipped: ${outcome.reason}` : `failed: ${outcome.difference}`;
}

const command = (type: string, args: unknown, status = 200, url = "/v1/metadata") => ({
  url,
  status,
  query: { type, args },
});
const sql = (text: string, source?: string) =>
  command("run_sql", { sql: text, ...(source === undefined ? {} : { source }) }, 200, "/v2/query");
const query = (text: string, data: unknown) => ({
  url: "/v1/graphql",
  status: 200,
  query: { query: text },
  response: { data },
});
const steps = (...items: readonly unknown[]) => JSON.stringify(items);

const depots =
  "create table depot_site (id serial primary key, post_code text); insert into depot_site (post_code) values ('8001');";

test("cases create their own sources, and names follow each source's customization", { timeout: 600_000 }, async () => {
  const configuration = (variable: string) => ({ connection_info: { database_url: { from_env: variable } } });
  expect(
    await outcomes(
      {
        "naming_conventions/sources": {
          "setup.yaml": JSON.stringify({ type: "bulk", args: [] }),
          "camel.yaml": steps(
            command("pg_add_source", {
              name: "north",
              configuration: configuration("HASURA_GRAPHQL_PG_SOURCE_URL_1"),
              customization: {
                naming_convention: "graphql-default",
                root_fields: { namespace: "north_side" },
                type_names: { prefix: "n_" },
              },
            }),
            sql(depots, "north"),
            command("pg_track_table", { source: "north", table: "depot_site" }),
            query(
              "{ north_side { depotSite(orderBy: {postCode: ASC}) { postCode __typename } depotSiteByPk(id: 1) { id } } }",
              {
                north_side: { depotSite: [{ postCode: "8001", __typename: "n_DepotSite" }], depotSiteByPk: { id: 1 } },
              },
            ),
            command(
              "pg_add_source",
              { name: "north", configuration: configuration("HASURA_GRAPHQL_PG_SOURCE_URL_1") },
              400,
            ),
            command("pg_add_source", {
              name: "north",
              replace_configuration: true,
              configuration: configuration("HASURA_GRAPHQL_PG_SOURCE_URL_1"),
              customization: { root_fields: { suffix: "_n" } },
            }),
            query("{ depot_site_n { post_code } }", { depot_site_n: [{ post_code: "8001" }] }),
            command("pg_drop_source", { name: "north" }),
            {
              url: "/v1/graphql",
              status: 200,
              query: { query: "{ depot_site_n { id } }" },
              response: {
                errors: [
                  { message: "", extensions: { code: "validation-failed", path: "$.selectionSet.depot_site_n" } },
                ],
              },
            },
          ),
          "shared.yaml": steps(
            sql(depots),
            command("pg_add_source", {
              name: "again",
              configuration: configuration("HASURA_GRAPHQL_DATABASE_URL"),
              customization: { root_fields: { prefix: "b_" }, type_names: { suffix: "_b" } },
            }),
            command("pg_track_table", { table: "depot_site" }),
            command("pg_track_table", { source: "again", table: "depot_site" }),
            query("{ depot_site { id } b_depot_site { __typename } }", {
              depot_site: [{ id: 1 }],
              b_depot_site: [{ __typename: "depot_site_b" }],
            }),
          ),
          "elsewhere.yaml": steps(
            sql(depots),
            command("pg_track_table", { table: "depot_site" }),
            query("{ depotSite { postCode } }", { depotSite: [{ postCode: "8001" }] }),
          ),
        },
      },
      "naming_conventions/sources",
    ),
  ).toEqual({
    "./camel": "passed; expected the text , found field 'depot_site_n' not found in type: 'query_root'",
    "./shared": "passed",
    "./elsewhere": "passed; with HASURA_GRAPHQL_DEFAULT_NAMING_CONVENTION=graphql-default",
  });
});

test("a command also removes dependent objects if Hasura does", { timeout: 600_000 }, async () => {
  const setup = [
    {
      type: "run_sql",
      args: {
        sql: "create table depot (id int primary key, label text); create table van (id int primary key, depot_id int references depot)",
      },
    },
    { type: "track_table", args: "depot" },
    { type: "track_table", args: "van" },
    {
      type: "create_object_relationship",
      args: { table: "van", name: "depot", using: { foreign_key_constraint_on: "depot_id" } },
    },
    {
      type: "create_select_permission",
      args: {
        table: "depot",
        role: "driver",
        permission: { columns: ["id", "label"], filter: { label: { _eq: "open" } } },
      },
    },
  ];
  expect(
    await outcomes({
      dropping: {
        "schema_setup.yaml": JSON.stringify({ type: "bulk", args: setup }),
        "values_setup.yaml": JSON.stringify({
          type: "run_sql",
          args: { sql: "insert into depot values (1, 'open'); insert into van values (7, 1)" },
        }),
        "post_teardown.yaml": JSON.stringify({ type: "run_sql", args: { sql: "drop table depot" } }),
        "untracked.yaml": steps(
          command("pg_untrack_table", { table: "depot" }, 400),
          command("pg_untrack_table", { table: "depot", cascade: true }),
          query("{ van { id } }", { van: [{ id: 7 }] }),
        ),
        "column.yaml": steps(
          sql("alter table depot drop column label"),
          query("{ depot { id } }", { depot: [{ id: 1 }] }),
        ),
        "kept.yaml": steps(query("{ van { depot { label } } }", { van: [{ depot: { label: "open" } }] })),
        "renamed.yaml": steps(
          command("pg_rename_relationship", { table: "van", name: "depot", new_name: "home" }),
          query("{ van { home { id } } }", { van: [{ home: { id: 1 } }] }),
          command("pg_drop_relationship", { table: "van", relationship: "depot" }, 400),
        ),
      },
    }),
  ).toEqual({
    "dropping/untracked": "passed",
    "dropping/column": "passed",
    "dropping/kept": "passed",
    "dropping/renamed": "passed",
  });
});

test(
  "native queries and logical models are tracked, given permissions and untracked",
  { timeout: 600_000 },
  async () => {
    const model = { source: "default", name: "wheel", fields: [{ name: "size", type: "integer" }] };
    const wheels = {
      type: "query",
      source: "default",
      root_field_name: "wheels",
      code: "select generate_series(1, {{most}}) as size",
      arguments: { most: { type: "integer" } },
    };
    const permission = { role: "driver", permission: { columns: ["size"], filter: { size: { _gt: 1 } } } };
    const asDriver = (text: string, data: object) => ({ ...query(text, data), headers: { "X-Hasura-Role": "driver" } });
    expect(
      await outcomes({
        native: {
          "setup.yaml": JSON.stringify({
            type: "bulk_atomic",
            args: [
              { type: "pg_track_logical_model", args: model },
              { type: "pg_track_native_query", args: { ...wheels, returns: "wheel" } },
              {
                type: "pg_create_logical_model_select_permission",
                args: { source: "default", name: "wheel", ...permission },
              },
            ],
          }),
          "asked.yaml": steps(
            query("{ wheels(args: {most: 2}) { size } }", { wheels: [{ size: 1 }, { size: 2 }] }),
            asDriver("{ wheels(args: {most: 2}) { size } }", { wheels: [{ size: 2 }] }),
          ),
          "own_model.yaml": steps(
            command("pg_track_native_query", { ...wheels, root_field_name: "own", returns: { fields: model.fields } }),
            command("pg_create_logical_model_select_permission", { type: "native_query", name: "own", ...permission }),
            asDriver("{ own(args: {most: 3}) { size } }", { own: [{ size: 2 }, { size: 3 }] }),
          ),
          "refused.yaml": steps(
            command(
              "pg_track_native_query",
              { ...wheels, root_field_name: "bad", code: "select {{most}}", returns: "wheel" },
              400,
            ),
            query("{ wheels(args: {most: 1}) { size } }", { wheels: [{ size: 1 }] }),
          ),
          "untracked.yaml": steps(
            command("pg_untrack_logical_model", { source: "default", name: "wheel" }, 400),
            command("pg_untrack_native_query", { source: "default", root_field_name: "wheels" }),
          ),
        },
      }),
    ).toEqual({
      "native/asked": "passed",
      "native/own_model": "passed",
      "native/refused": "passed",
      "native/untracked": "passed",
    });
  },
);

test("names commands that cannot run, and continues", { timeout: 600_000 }, async () => {
  const table = {
    type: "bulk",
    args: [
      { type: "run_sql", args: { sql: "create table depot (id int)" } },
      { type: "track_table", args: "depot" },
    ],
  };
  const found = await outcomes({
    strange: {
      "setup.yaml": JSON.stringify({ type: "bulk", args: [table, { type: "add_remote_schema", args: {} }] }),
      "broken.yaml": "- url: [",
      "listed.yaml": JSON.stringify([{ type: "run_sql", args: { sql: "select 1" } }]),
      "other_mssql.yaml": "{}",
      "unknown.yaml": steps(command("create_cron_trigger", {}), query("{ depot { id } }", { depot: [] })),
      "written.yaml": steps(
        {
          url: "/v1/graphql",
          status: 200,
          query: { query: "mutation { insert_depot(objects: [{id: 1}]) { affected_rows } }" },
          response: { data: { insert_depot: { affected_rows: 1 } } },
        },
        query("{ depot { id } }", { depot: [{ id: 1 }] }),
      ),
      "allowed.yaml": steps({
        ...query("{ depot { id } }", undefined),
        response: undefined,
        allowed_responses: [{ data: { depot: [{ id: 1 }] } }, { response: { data: { depot: [] } } }],
      }),
      "described.yaml": steps(
        query('{ depot { id } a: __type(name: "depot_insert_input") { name } b: __type(name: "depot") { name } }', {
          depot: [],
          a: { name: "depot_insert_input" },
          b: { name: "depot" },
        }),
      ),
      "headers.yaml": steps({
        ...query("{ depot { id } }", { depot: [] }),
        resp_headers: { "Content-Type": "text/plain" },
      }),
    },
    unset: { "setup.yaml": "type: [", "case.yaml": steps(query("{ depot { id } }", { depot: [] })) },
    refused: {
      "setup.yaml": JSON.stringify({ type: "track_table", args: "nowhere" }),
      "case.yaml": steps(query("{ nowhere { id } }", { nowhere: [] })),
    },
  });
  const remark = "left out of the setup: no counterpart for the command add_remote_schema";
  expect(found).toEqual({
    "strange/broken": expect.stringContaining("skipped: broken.yaml is not YAML"),
    "strange/other_mssql": "skipped: for another database",
    "strange/unknown": "skipped: no counterpart for the command create_cron_trigger",
    "strange/written": expect.stringMatching(
      /^skipped: a step needs data of an earlier mutation, and mutations are not supported: step 2: data\.depot/,
    ),
    "strange/allowed": `passed; ${remark}`,
    "strange/described": `passed; ${remark}`,
    "strange/headers": expect.stringMatching(
      /^failed: expected the header Content-Type: text\/plain, found application\/json.* \| passed; left out/s,
    ),
    "unset/case": expect.stringContaining("failed: the setup failed: setup.yaml is not YAML"),
    "refused/case": expect.stringContaining("failed: the setup failed"),
  });
});
