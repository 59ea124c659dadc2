import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loadMetadata } from "./load.ts";
import { validateMetadata } from "./validate.ts";

let directory = "";

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "routeql-metadata-"));
});

afterEach(() => rmSync(directory, { recursive: true }));

function write(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), text);
  }
}

const base = {
  "version.yaml": "version: 3\n",
  "databases/databases.yaml": '- name: default\n  tables: "!include default/tables/tables.yaml"\n',
  "databases/default/tables/tables.yaml": '- "!include public_a.yaml"\n- "!include public_b.yaml"\n',
  "databases/default/tables/public_a.yaml": "table: a\n",
  "databases/default/tables/public_b.yaml": "table:\n  name: b\n  schema: public\n",
};

test("follows includes relative to the including file", () => {
  write(base);
  const { merged, problems } = loadMetadata(directory);
  expect(problems).toEqual([]);
  expect(merged).toEqual({
    version: 3,
    sources: [{ name: "default", tables: [{ table: "a" }, { table: { name: "b", schema: "public" } }] }],
  });
});

test("accepts an include as a YAML tag", () => {
  write({ ...base, "databases/default/tables/tables.yaml": "- !include public_a.yaml\n" });
  expect(loadMetadata(directory).merged).toMatchObject({ sources: [{ tables: [{ table: "a" }] }] });
});

test("names the file, path and line of a place in the merged metadata", () => {
  write(base);
  const loaded = loadMetadata(directory);
  expect(loaded.locate(["sources", 0, "tables", 1, "table", "name"])).toEqual({
    file: "databases/default/tables/public_b.yaml",
    path: "table.name",
    line: 2,
  });
  expect(loaded.locate(["sources", 0, "name"])).toEqual({
    file: "databases/databases.yaml",
    path: "[0].name",
    line: 1,
  });
  expect(loaded.locate(["version"])).toEqual({ file: "version.yaml", path: "", line: 1 });
  expect(loaded.locate(["sources", 0, "tables", 1, "table", "schema"])).toMatchObject({ line: 3 });
  expect(loaded.locate(["sources", 0, "tables", 1, "absent"])).toMatchObject({
    file: "databases/default/tables/public_b.yaml",
    line: 1,
  });
});

test("reads tables and functions of version 2 at the top of the directory", () => {
  write({
    "version.yaml": "version: 2\n",
    "tables.yaml": "- table: a\n",
    "functions.yaml": "[]\n",
    "actions.yaml": "actions: []\n",
  });
  const loaded = loadMetadata(directory);
  expect([loaded.problems, loaded.merged]).toEqual([[], { version: 2, tables: [{ table: "a" }], functions: [] }]);
  expect(loaded.locate(["tables", 0, "table"])).toEqual({ file: "tables.yaml", path: "[0].table", line: 1 });
});

test("ignores files that are not metadata", () => {
  write({ ...base, "README.md": "# Metadata\n", "apply.sh": "hasura metadata apply\n" });
  expect(loadMetadata(directory).problems).toEqual([]);
});

test.each([
  [
    "a missing file",
    { "databases/default/tables/tables.yaml": '- "!include public_c.yaml"\n' },
    /includes databases\/default\/tables\/public_c\.yaml, which does not exist/,
  ],
  [
    "a file outside of the directory",
    { "databases/default/tables/tables.yaml": '- "!include ../../../../../etc/passwd"\n' },
    /outside of the metadata directory/,
  ],
  ["a circle", { "databases/default/tables/public_a.yaml": 'table: "!include tables.yaml"\n' }, /from within itself/],
  ["broken YAML", { "databases/default/tables/public_a.yaml": "table: [a\n" }, /./],
  ["a key that is there twice", { "databases/default/tables/public_a.yaml": "table: a\ntable: b\n" }, /unique/],
  ["an unknown file", { "tables.yaml": "[]\n" }, /not part of a metadata v3 directory/],
])("%s is a problem", (_what, files, reason) => {
  write({ ...base, ...files });
  const { problems } = loadMetadata(directory);
  expect(problems).toHaveLength(1);
  expect(problems[0]?.reason).toMatch(reason);
});

test("reports each of the two required files that a directory lacks", () => {
  expect(loadMetadata(directory).problems.map(({ file }) => file)).toEqual([
    "version.yaml",
    "databases/databases.yaml",
  ]);
});

test("reports a missing file at the place of its include", () => {
  write({ ...base, "databases/default/tables/public_b.yaml": 'table: b\nselect_permissions: "!include roles.yaml"\n' });
  expect(loadMetadata(directory).problems).toMatchObject([
    {
      file: "databases/default/tables/public_b.yaml",
      path: "select_permissions",
      reason: "includes databases/default/tables/roles.yaml, which does not exist",
    },
  ]);
});

test.each([
  ["without version.yaml", { "databases/databases.yaml": "[]\n" }, ["version.yaml"]],
  [
    "with a version.yaml that is no YAML",
    { "version.yaml": "version: [\n", "databases/databases.yaml": "[]\n" },
    ["version.yaml"],
  ],
  ["without databases.yaml", { "version.yaml": "version: 3\n" }, ["databases/databases.yaml"]],
  [
    "with files that cannot be read, and one that names no version",
    {
      ...base,
      "version.yaml": "{}\n",
      "databases/databases.yaml":
        '- tables: "!include none.yaml"\n  name: 1\n  configuration: {connection_info: {database_url: {from_env: A}}}\n',
    },
    ["databases/databases.yaml", "version.yaml", "databases/databases.yaml"],
  ],
])("a directory %s has a problem for each, and no further problems", (_what, files, at) => {
  write(files);
  expect(
    validateMetadata(loadMetadata(directory), { allowUnsupported: true }).problems.map(({ file }) => file),
  ).toEqual(at);
});

test("reads merged metadata from one file, bare or as export_metadata returns it", () => {
  write({
    "bare.json": '{"version":3,"sources":[]}',
    "wrapped.json": '{"resource_version":7,"metadata":{"version":3,"sources":[]}}',
  });
  for (const name of ["bare.json", "wrapped.json"])
    expect(loadMetadata(join(directory, name)).merged).toEqual({ version: 3, sources: [] });
});
