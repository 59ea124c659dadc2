import { mkdirSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { gitAbsent, MetadataFolder, routeql, sound, tableFile } from "../testing/tool.ts";

/* check --base … --only-new: what the base has too does not fail. */

const open = "columns: [id]\nfilter: {}\nlimit: 1";
const tables = (...names: readonly string[]) => names.map((name) => tableFile(name, open));

/** Compares the metadata of two folders. */
async function checked(now: MetadataFolder, base: MetadataFolder, ...args: readonly string[]) {
  return routeql(now.path, ["lint", "--base", join(base.path, "metadata"), ...args]);
}

interface Report {
  readonly findings: readonly { readonly rule: string; readonly table?: string; readonly source?: string }[];
  readonly inBase: readonly unknown[];
}

async function reported(now: MetadataFolder, base: MetadataFolder): Promise<Report> {
  return JSON.parse((await checked(now, base, "--only-new", "--json")).stdout) as Report;
}

test("counts findings of the base without failing, and fails without --only-new", async () => {
  using base = new MetadataFolder(tables("note", "tag"));
  using now = new MetadataFolder(tables("note", "tag"));
  expect(await checked(now, base, "--only-new")).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^no findings; 2 permissions .*, 2 in \S+metadata already\n/) as string,
  });
  expect(await checked(now, base)).toMatchObject({
    code: 1,
    stdout: expect.stringContaining("2 findings (0 errors, 2 warnings)") as string,
  });
});

test.each(["text", "json", "github", "gitlab", "sarif"])(
  "fails for new findings and lists only them in the format %s",
  async (format) => {
    using base = new MetadataFolder(tables("note"));
    using now = new MetadataFolder([
      ...tables("note"),
      "table: {schema: public, name: tag}\ninsert_permissions:\n  - role: reader\n    permission: {check: {}, columns: [id]}\n",
    ]);
    const { code, stdout } = await checked(now, base, "--only-new", "--format", format);
    const listed = format === "json" ? JSON.stringify((JSON.parse(stdout) as Report).findings) : stdout;
    expect(code).toBe(1);
    expect(listed).toContain("reader may insert any row into public.tag: the check is empty");
    expect(listed).not.toContain("public.note");
  },
);

test("recognises a finding in another file, line and order", async () => {
  using base = new MetadataFolder(tables("note", "tag"));
  using now = new MetadataFolder(
    tables("author", "tag", "note").map((text, index) =>
      index === 0 ? tableFile("author", sound) : `# Moved.\n\n${text}`,
    ),
  );
  const [from, to] = ["default/tables", "main"].map((name) => join(now.path, "metadata/databases", name)) as [
    string,
    string,
  ];
  mkdirSync(dirname(to), { recursive: true });
  renameSync(from, to);
  now.write(
    "metadata/databases/databases.yaml",
    '- name: default\n  configuration: {connection_info: {database_url: {from_env: A}}}\n  tables: "!include main/tables.yaml"\n',
  );
  expect(await reported(now, base)).toMatchObject({
    findings: [{ rule: "widened-permission", table: "public.author" }],
    inBase: [{ rule: "every-row" }, { rule: "every-row" }],
  });
});

test("reports a further finding of the same kind as new", async () => {
  const schemas = (...names: readonly string[]) => ({
    "metadata/remote_schemas.yaml": names
      .map(
        (name) =>
          `- name: ${name}\n  definition: {url_from_env: URL, headers: [{name: Authorization, value: Bearer example}]}\n`,
      )
      .join(""),
  });
  using base = new MetadataFolder([], schemas("weather"));
  using now = new MetadataFolder([], schemas("maps", "weather"));
  expect(await reported(now, base)).toMatchObject({
    findings: [{ reason: "maps has the value of the header Authorization in the metadata" }, { name: "maps" }],
    inBase: [{ rule: "not-examined" }, { rule: "secret-in-metadata" }],
  });
});

test("recognises a renamed single source, and reports the table of a further source as new", async () => {
  const source = (name: string) =>
    `- name: ${name}\n  configuration: {connection_info: {database_url: {from_env: A}}}\n  tables: "!include default/tables/tables.yaml"\n`;
  const databases = (...names: readonly string[]) => ({
    "metadata/databases/databases.yaml": names.map(source).join(""),
  });
  using base = new MetadataFolder(tables("note"), databases("default"));
  using renamed = new MetadataFolder(tables("note"), databases("main"));
  using further = new MetadataFolder(tables("note"), databases("archive", "default"));
  expect(await reported(renamed, base)).toMatchObject({ findings: [], inBase: [{ rule: "every-row" }] });
  expect((await reported(further, base)).findings).toContainEqual(
    expect.objectContaining({ rule: "every-row", table: "public.note", source: "archive" }),
  );
  expect((await reported(further, base)).inBase).toMatchObject([{ rule: "every-row", source: "default" }]);
});

test("recognises unincluded files of a git revision, and reports a further one as new", async (context) => {
  context.skip(gitAbsent() !== undefined, gitAbsent());
  using now = new MetadataFolder([], { "metadata/databases/default/tables/old.yaml": "table: old\n" });
  now.commit();
  const check = () => routeql(now.path, ["lint", "--base", "HEAD", "--only-new"]);
  expect(await check()).toMatchObject({ code: 0, stdout: expect.stringContaining(", 1 in HEAD already\n") as string });
  now.write("metadata/databases/default/tables/forgotten.yaml", "table: forgotten\n");
  expect(await check()).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(
      /^metadata\/databases\/default\/tables\/forgotten\.yaml:1 {2}warning {2}file-not-included\n/,
    ) as string,
  });
});

test("applies exceptions, and reports an unused one", async () => {
  using base = new MetadataFolder(tables("note", "tag"));
  using now = new MetadataFolder([tableFile("note", sound), ...tables("tag")], {
    "hasura-checks.yaml": "exceptions:\n  - {rule: every-row, table: public.tag, reason: It is public.}\n",
  });
  expect(await checked(now, base, "--only-new")).toMatchObject({
    code: 1,
    stdout: expect.stringContaining("reader gets at most 10 rows of public.note") as string,
  });
  now.write("metadata/databases/default/tables/t0.yaml", tableFile("note", sound.replace("10", "1")));
  expect(await checked(now, base, "--only-new", "--json")).toMatchObject({
    stdout: expect.stringMatching(/"excepted": \[\n {4}\{[^]*"inBase": \[\]/) as string,
  });
  now.write("metadata/databases/default/tables/t1.yaml", tableFile("tag", sound.replace("10", "1")));
  expect((await checked(now, base, "--only-new")).stdout).toContain(
    "the exception from every-row for table public.tag excepts nothing",
  );
});

test("recognises an ignored key, and reports one of another table as new", async () => {
  const misspelt = (name: string) => `table: {schema: public, name: ${name}}\nselect_permission: []\n`;
  using base = new MetadataFolder([misspelt("note"), ...tables("tag")]);
  using now = new MetadataFolder([misspelt("author"), misspelt("note"), ...tables("tag")]);
  expect(await reported(now, base)).toMatchObject({
    findings: [
      {
        rule: "metadata-shape",
        table: "public.author",
        reason: "public.author: select_permission: unknown key; did you mean select_permissions?",
      },
    ],
    inBase: [
      { rule: "metadata-shape", table: "public.note" },
      { rule: "every-row", table: "public.tag" },
    ],
  });
});

test("recognises an invalid shape, and examines the rest", async () => {
  const wrong = "table: {schema: public, name: note}\nselect_permissions: 1\n";
  using base = new MetadataFolder([wrong]);
  using now = new MetadataFolder([wrong, ...tables("tag")]);
  const { findings, inBase } = await reported(now, base);
  expect(findings).toContainEqual(expect.objectContaining({ rule: "every-row", table: "public.tag" }));
  expect(inBase).toMatchObject([{ rule: "metadata-shape", table: "public.note" }]);
});
