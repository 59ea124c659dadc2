import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loadMetadata, valueAt } from "./load.ts";
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

test("includes SQL as its text, with comments and line ends", () => {
  const sql = "-- A colon: no mapping\nselect 1 -- one\nfrom x\n";
  write({ ...base, "databases/default/tables/public_a.yaml": 'table: "!include a.sql"\n' });
  write({ "databases/default/tables/a.sql": sql });
  const { merged, problems } = loadMetadata(directory);
  expect(problems).toEqual([]);
  expect(valueAt(merged, ["sources", 0, "tables", 0, "table"])).toBe(sql);
});

test.each(["# nothing yet\n", "", "null\n", "---\n"])("names the include of a file without a value: %j", (text) => {
  write({ ...base, "databases/default/tables/public_b.yaml": text });
  expect(loadMetadata(directory).problems).toMatchObject([
    {
      file: "databases/default/tables/tables.yaml",
      path: "[1]",
      line: 2,
      reason: expect.stringMatching(/^includes databases\/default\/tables\/public_b\.yaml, which holds no value/),
    },
  ]);
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
    "a path of Windows",
    { "databases/default/tables/tables.yaml": "- '!include ..\\tables\\public_a.yaml'\n" },
    /which does not exist\. Write \/ in place of \\$/,
  ],
  [
    "a file outside of the directory",
    { "databases/default/tables/tables.yaml": '- "!include ../../../../../etc/passwd"\n' },
    /outside of the metadata directory/,
  ],
  ["a circle", { "databases/default/tables/public_a.yaml": 'table: "!include tables.yaml"\n' }, /from within itself/],
  ["broken YAML", { "databases/default/tables/public_a.yaml": "table: [a\n" }, /./],
  ["a key that is there twice", { "databases/default/tables/public_a.yaml": "table: a\ntable: b\n" }, /appears twice/],
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

test.each<readonly [string, (text: string) => Buffer]>([
  ["a byte order mark and line ends of Windows", (text) => Buffer.from(`\u{FEFF}${text.replaceAll("\n", "\r\n")}`)],
  ["no end of the last line", (text) => Buffer.from(text.trimEnd())],
])("reads files with %s as the same metadata", (_, encode) => {
  write(base);
  const { merged } = loadMetadata(directory);
  for (const [name, text] of Object.entries(base)) writeFileSync(join(directory, name), encode(text));
  expect(loadMetadata(directory)).toMatchObject({ merged, problems: [] });
});

test("names the file and line of text in another encoding", () => {
  write(base);
  writeFileSync(
    join(directory, "databases/default/tables/public_b.yaml"),
    Buffer.from("table:\n  name: Größe\n", "latin1"),
  );
  writeFileSync(join(directory, "version.yaml"), Buffer.from("\u{FEFF}version: 3\n", "utf16le"));
  expect(loadMetadata(directory).problems).toMatchObject([
    { file: "version.yaml", reason: "is UTF-16. Save it as UTF-8" },
    { file: "databases/default/tables/public_b.yaml", line: 2, reason: "is not UTF-8 in line 2. Save it as UTF-8" },
  ]);
});

test("reads a permission with 130 uses and a merged one, with their lines", () => {
  const table = (index: number, permission: string) =>
    `- table: t${index}\n  select_permissions:\n    - role: viewer\n      permission: ${permission}\n`;
  const own = "&own { columns: [id], filter: {} }";
  const tables = Array.from({ length: 131 }, (_, index) => table(index, index === 0 ? own : "*own")).join("");
  write({
    ...base,
    "databases/default/tables/tables.yaml": `${tables}${table(131, "\n        <<: *own\n        allow_aggregations: true")}`,
  });
  const loaded = loadMetadata(directory);
  expect(loaded.problems).toEqual([]);
  const permission = ["sources", 0, "tables", 131, "select_permissions", 0, "permission"];
  expect(valueAt(loaded.merged, permission)).toEqual({ columns: ["id"], filter: {}, allow_aggregations: true });
  expect(loaded.locate([...permission, "columns"]).line).toBe(4);
  expect(loaded.locate(["sources", 0, "tables", 130, "select_permissions", 0, "permission", "columns"]).line).toBe(4);
});

test("refuses files that include each other over and over", () => {
  const files = Array.from({ length: 25 }, (_, index) => [
    `databases/default/tables/f${index}.yaml`,
    `- "!include f${index + 1}.yaml"\n- "!include f${index + 1}.yaml"\n`,
  ]);
  write({
    ...base,
    "databases/default/tables/tables.yaml": '- "!include f0.yaml"\n',
    ...(Object.fromEntries(files) as Record<string, string>),
    "databases/default/tables/f25.yaml": "- table: a\n",
  });
  expect(loadMetadata(directory).problems.map(({ reason }) => reason)).toEqual([
    "anchors and includes repeat more than 400000 values. Repeat fewer parts",
  ]);
});

test("a symbolic link leads to no file outside of the directory", () => {
  const outside = mkdtempSync(join(tmpdir(), "routeql-outside-"));
  try {
    writeFileSync(join(outside, "secret.yaml"), "password: hidden\n");
    write(base);
    for (const [name, target] of [
      ["databases/default/tables/public_a.yaml", join(outside, "secret.yaml")],
      ["actions.yaml", join(outside, "secret.yaml")],
    ] as const) {
      rmSync(join(directory, name), { force: true });
      symlinkSync(target, join(directory, name));
    }
    symlinkSync(outside, join(directory, "databases/linked"));
    write({ "databases/default/tables/public_b.yaml": '"!include ../../linked/secret.yaml"\n' });
    const { merged, problems } = loadMetadata(directory);
    expect(JSON.stringify(merged)).not.toContain("hidden");
    const reason = "is a symbolic link to a file outside of the metadata directory";
    expect(problems.map((problem) => `${problem.file}: ${problem.reason}`).toSorted()).toEqual([
      `actions.yaml: ${reason}`,
      `databases/default/tables/public_b.yaml: includes databases/linked/secret.yaml, which ${reason}`,
      `databases/default/tables/tables.yaml: includes databases/default/tables/public_a.yaml, which ${reason}`,
    ]);
  } finally {
    rmSync(outside, { recursive: true });
  }
});

test("follows symbolic links inside of the directory, and a directory that is one", () => {
  write(base);
  const [name, target] = ["databases/default/tables/public_a.yaml", "databases/default/tables/moved"];
  renameSync(join(directory, name), join(directory, target));
  symlinkSync("moved", join(directory, name));
  const link = `${directory}-link`;
  symlinkSync(directory, link);
  try {
    expect(loadMetadata(link).problems).toEqual([]);
  } finally {
    rmSync(link);
  }
});

test("reports a link to a missing file, and a link to itself", () => {
  write(base);
  rmSync(join(directory, "databases/default/tables/public_a.yaml"));
  symlinkSync("public_a.yaml", join(directory, "databases/default/tables/public_a.yaml"));
  symlinkSync("gone", join(directory, "api_limits.yaml"));
  symlinkSync("allow_list.yaml", join(directory, "allow_list.yaml"));
  expect(
    loadMetadata(directory)
      .problems.map((problem) => `${problem.file}: ${problem.reason}`)
      .toSorted(),
  ).toEqual([
    "allow_list.yaml: this file cannot be read (ELOOP)",
    "api_limits.yaml: this file is missing",
    "databases/default/tables/tables.yaml: includes databases/default/tables/public_a.yaml, which cannot be read (ELOOP)",
  ]);
});

test("reports a pipe in place of a file without waiting for its writer", () => {
  write(base);
  for (const name of ["actions.yaml", "databases/default/tables/public_a.yaml"]) {
    rmSync(join(directory, name), { force: true });
    execFileSync("mkfifo", [join(directory, name)]);
  }
  const reason = "is not a regular file. Replace it with one";
  expect(
    loadMetadata(directory)
      .problems.map((problem) => `${problem.file}: ${problem.reason}`)
      .toSorted(),
  ).toEqual([`actions.yaml: ${reason}`, `databases/default/tables/public_a.yaml: ${reason}`]);
});
