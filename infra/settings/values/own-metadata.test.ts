import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { loadMetadata } from "@routeql/metadata/read/load";
import { validateMetadata } from "@routeql/metadata/read/validate";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  engineRights,
  ownMetadata,
  ownMigrations,
  ownMigrationsIn,
  ownPlaces,
  ownRoles,
  unservedProblem,
  withOwnMetadata,
} from "./own-metadata.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "routeql-own-"));
  cpSync(resolve(import.meta.dirname, "../../../docs/start/desk/metadata"), folder, { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true }));

const edit = (from: string, to: string): void => {
  const file = join(folder, "databases/databases.yaml");
  writeFileSync(file, readFileSync(file, "utf8").replace(from, to));
};

const lineOf = (text: string): number =>
  readFileSync(join(folder, "databases/databases.yaml"), "utf8")
    .split("\n")
    .findIndex((line) => line.includes(text)) + 1;

test("names the file and line of features that the embedded engine does not serve", () => {
  expect(unservedProblem(folder)).toBeUndefined();
  writeFileSync(join(folder, "rest_endpoints.yaml"), "# ours\n- {name: r, url: r, methods: [GET], definition: {}}\n");
  expect(unservedProblem(folder)).toMatch(/^ \S*\/rest_endpoints\.yaml:2: .*REST endpoints/);
});

test("the engine names the file and line of your own table, not of the joined document", () => {
  const file = join(folder, "metadata.json");
  writeFileSync(file, withOwnMetadata(folder));
  writeFileSync(join(folder, "metadata.places.json"), ownPlaces(folder));
  const loaded = loadMetadata(file);
  const [{ tables }] = loaded.merged["sources"] as [{ tables: readonly { table: { name: string } }[] }];
  const placeOf = (name: string) =>
    loaded.locate(["sources", 0, "tables", tables.findIndex(({ table }) => table.name === name)]);
  expect(placeOf("notes")).toMatchObject({
    file: join(folder, "databases/databases.yaml"),
    line: lineOf("- table: { schema: desk, name: notes }"),
  });
  expect(placeOf("view_bgpupdates").file).toBe("metadata.json");
});

test("joins a role and a relationship to the kit's metadata", () => {
  expect(ownMetadata.check(folder)).toBeUndefined();
  const { metadata, problems } = validateMetadata(
    loadMetadata(JSON.parse(withOwnMetadata(folder)) as Record<string, unknown>),
    { allowUnsupported: false },
  );
  expect(problems).toEqual([]);
  const tables = metadata?.sources[0]?.tables ?? [];
  const rolesOf = (name: string) =>
    tables.find(({ table }) => table.name === name)?.select_permissions?.map(({ role }) => role);
  expect(rolesOf("view_hijacks")).toEqual(["analyst", "operator", "tenant", "viewer", "desk"]);
  expect(rolesOf("view_bgpupdates")).toEqual(["analyst", "operator", "tenant", "viewer"]);
  expect(tables).toHaveLength(11);
  expect(ownRoles(folder)).toEqual(["desk"]);
});

test("the engine gets the rights that permissions need", () => {
  const { tables } = engineRights(folder);
  const update = { right: "update", columns: ["note"] };
  expect(tables.filter(({ schema }) => schema === "desk")).toEqual([
    { schema: "desk", name: "notes", rights: [{ right: "select" }, { right: "insert" }, update] },
  ]);
  expect(tables.find(({ name }) => name === "view_bgpupdates")?.rights).toEqual([{ right: "select" }]);
});

test.each([
  [["0001_notes.sql", "README.md"], undefined],
  [["0001_notes.sql", "._0001_notes.sql", ".DS_Store", "old/0001_notes.sql"], undefined],
  [["0001_notes.sql", "0002_more.SQL"], "has the file 0002_more.SQL, which would not run"],
  [["0001_notes.sql", "0002_more.sql.txt"], "has the file 0002_more.sql.txt, which would not run"],
  [["1620000000000_init/up.sql"], "has the file 1620000000000_init/up.sql, which would not run"],
  [["notes.sql"], "has the file notes.sql; a migration has a name such as 0001_notes.sql"],
  [["0001_notes.sql", "0001_more.sql"], "has two migrations with the number 0001"],
  [[], "has no file *.sql"],
])("a folder of migrations with %j has the problem %s", (files, problem) => {
  const migrations = join(folder, "migrations");
  mkdirSync(migrations);
  for (const file of files) {
    mkdirSync(dirname(join(migrations, file)), { recursive: true });
    writeFileSync(join(migrations, file), "select 1");
  }
  expect(ownMigrations.check(migrations)?.replace(/; put each migration into .*/, "")).toBe(problem);
  if (problem === undefined) expect(Object.keys(ownMigrationsIn(migrations))).toEqual(["0001_notes.sql"]);
});

test.each([ownMetadata, ownMigrations])("names the reason for a folder that cannot be read", ({ check }) => {
  const loop = join(folder, "loop");
  symlinkSync(loop, loop);
  expect(check(loop)).toBe("is not a folder that this user can read (ELOOP)");
  expect(check(join(folder, "a".repeat(300)))).toBe("is not a folder that this user can read (ENAMETOOLONG)");
});

test("reads migrations with any line ends, and names the file and line of other text", () => {
  const migrations = join(folder, "migrations");
  mkdirSync(migrations);
  writeFileSync(join(migrations, "0001_notes.sql"), "\u{FEFF}select 1;\r\nselect 2;\r\n");
  expect(ownMigrations.check(migrations)).toBeUndefined();
  expect(ownMigrationsIn(migrations)).toEqual({ "0001_notes.sql": "select 1;\nselect 2;\n" });
  writeFileSync(join(migrations, "0002_more.sql"), Buffer.from("-- a\r\n-- Größe\r\n", "latin1"));
  expect(ownMigrations.check(migrations)).toBe(
    "has the file 0002_more.sql, which is not UTF-8 in line 2. Save it as UTF-8",
  );
});

test.each([
  ["-- migrate:up\ncreate table t ();\n\n-- migrate:down\ndrop table t;\n", true],
  ["-- +goose Up\ncreate table t ();\n  -- +goose Down\n-- +goose StatementBegin\ndrop table t;", true],
  ["-- +migrate Down\r\ndrop table t;", true],
  ["-- migrate:up transaction:false\ncreate table t ();\n-- migrate:down\n\n/* nothing */ -- at all\n", false],
  ["select '-- migrate:down'; create table t ();", false],
])("finds statements for the way back in a migration: %j", (text, isFound) => {
  const migrations = join(folder, "migrations");
  mkdirSync(migrations);
  writeFileSync(join(migrations, "0001_notes.sql"), text);
  const problem = "has the file 0001_notes.sql, whose statements for the way back";
  expect(ownMigrations.check(migrations) ?? "").toMatch(isFound ? new RegExp(`^${problem}`) : /^$/);
});

test("rejects a relationship to a table that is not tracked, and names both", () => {
  edit("remote_table: { schema: public, name: view_hijacks }", "remote_table: { schema: public, name: absent }");
  const line = lineOf("- name: same_prefix") + 1;
  expect(ownMetadata.check(folder)).toMatch(/^is invalid: .*same_prefix.*absent/);
  expect(ownMetadata.check(folder)).toContain(`${folder}/databases/databases.yaml:${line}: `);
});

test("rejects a misspelt key", () => {
  edit("            limit: 100", "            limt: 100");
  const place = `${folder}/databases/databases.yaml:${lineOf("limt: 100")}`;
  expect(ownMetadata.check(folder)).toMatch(`is invalid: ${place}: public.view_hijacks: `);
});

test.each([
  [
    "- name: default",
    "- name: other",
    "the source other has no database. Put its tables and functions into the source default",
  ],
  [
    "  kind: postgres",
    "  kind: postgres\n  configuration: { connection_info: { database_url: postgres://a:b@c/d } }",
    "remove configuration: RouteQL connects the source default to its database",
  ],
])("rejects a source with a database of its own: %s", (from, to, reason) => {
  edit(from, to);
  const line = lineOf((to.split("\n").at(-1) ?? "").trim());
  expect(ownMetadata.check(folder)).toBe(`is invalid: ${folder}/databases/databases.yaml:${line}: ${reason}`);
});

test("rejects a folder that is no metadata directory", () => {
  expect(ownMetadata.check(join(folder, "databases"))).toMatch(
    /^is invalid:\n\S*databases\/version\.yaml: this file is missing\n\S*databases\.yaml: [^;\n]*\n/,
  );
  expect(ownMetadata.check(join(folder, "none"))).toBe("is not a folder");
});
