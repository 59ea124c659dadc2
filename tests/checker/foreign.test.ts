import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { routeql } from "hasura-checks/testing/tool";
import { leftOut } from "../harness/run/left-out.ts";
import { readFixtures } from "../conformance/cases.ts";
import { type ConformanceDatabase, startConformanceDatabase } from "../conformance/database.ts";
import { MetadataBuilder } from "../conformance/metadata-builder.ts";
import { library, librarySql } from "../engine/support/native-library.ts";
import { sourceAt } from "../engine/support/source.ts";
import { newDatabase as newDatabaseOf } from "./support/new-database.ts";
import { shopSql, styles } from "./support/shop.ts";
import { checkKinds } from "../permissions/support/check-kinds.ts";

/** `routeql permissions` on other metadata than the project's: a shop in several styles, and Hasura's own test cases if they exist here. */

const generous = 300_000;
const fixtures = resolve(import.meta.dirname, "../../../shared/hasura-fixtures");

let server: ConformanceDatabase;
let folder: string;

beforeAll(async () => {
  server = await startConformanceDatabase();
  folder = mkdtempSync(join(tmpdir(), "routeql-foreign-"));
});

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await server[Symbol.asyncDispose]();
});

const newDatabase = (...statements: readonly string[]) => newDatabaseOf(server, ...statements);

type Counts = Readonly<Record<string, number>>;

async function permissions(metadata: string, address: string | undefined, ...more: readonly string[]) {
  writeFileSync(join(folder, "metadata.yaml"), metadata);
  const database = address === undefined ? [] : ["--database", address];
  const { code, stdout, stderr } = await routeql(folder, [
    "permissions",
    "--metadata",
    "metadata.yaml",
    ...database,
    "--json",
    ...more,
  ]);
  const report = JSON.parse(stdout || "{}") as {
    findings?: readonly { rule: string; reason: string; source?: string }[];
    checks?: Counts;
    sources?: Readonly<Record<string, { checks: Counts }>>;
  };
  return {
    code,
    stderr: stderr.trimEnd(),
    findings: report.findings ?? [],
    checks: report.checks ?? {},
    sources: report.sources ?? {},
  };
}

describe("a shop with inherited roles, functions, keys, an enum table and a computed field, in", () => {
  test.each(Object.keys(styles))("%s: everything is served as declared", { timeout: generous }, async (style) => {
    const { code, stderr, findings, checks } = await permissions(styles[style] ?? "", await newDatabase(shopSql));
    expect([stderr, findings.map(({ reason }) => reason), code]).toEqual(["", [], 0]);
    for (const kind of [...checkKinds, "error-texts"]) expect(checks[kind], kind).toBeGreaterThan(20);
  });
});

describe("native queries", () => {
  const inherited_roles = [{ role_name: "both", role_set: ["reader", "author"] }];
  const metadata = (native_queries: readonly object[]) =>
    JSON.stringify({
      version: 3,
      inherited_roles,
      sources: [{ ...sourceAt("postgres://nowhere.invalid", library), native_queries }],
    });

  test("are compared with their logical models' permissions and their own SQL", { timeout: generous }, async () => {
    const address = await newDatabase(librarySql);
    const documents = ["--expectations", "native.yaml", "--write", "native.md"];
    await permissions(metadata(library.native_queries), address, ...documents, "--update-expectations");
    const { code, stderr, findings, checks } = await permissions(
      metadata(library.native_queries),
      address,
      ...documents,
    );
    expect([findings.map(({ reason }) => reason), stderr, code]).toEqual([[], "wrote native.md", 0]);
    const rows = 'excerpt, id, title, rows {"published":{"_eq":true}}, at most 2';
    expect(parse(readFileSync(join(folder, "native.yaml"), "utf8"))).toMatchObject({
      roles: { reader: { calls: expect.arrayContaining([`excerpts: ${rows}`]) as string[] } },
    });
    expect(readFileSync(join(folder, "native.md"), "utf8")).toContain(`| \`excerpts\` | \`reader\` | \`${rows}\` |`);
    expect(checks["schema"]).toBeGreaterThan(50);
    for (const kind of ["rows", "limit", "relationships", "sessions", "hidden-rows"])
      expect(checks[kind], kind).toBeGreaterThan(20);
  });

  test("that Postgres rejects are not examined, and the rest is", { timeout: generous }, async () => {
    const { code, findings } = await permissions(
      metadata([{ ...library.native_queries[2], code: "SELECT one FROM nothing" }]),
      await newDatabase(librarySql),
    );
    expect([code, findings.filter(({ rule }) => rule === "not-examined").map(({ reason }) => reason)]).toEqual([
      1,
      [
        expect.stringContaining('Postgres rejects the query: relation "nothing" does not exist'),
        expect.stringContaining("there is no native query excerpts"),
      ],
    ]);
  });
});

/** A source with one table of notes; a role reads its own notes. */
const notes = (source: string) => `- name: ${source}
  kind: postgres
  configuration: {connection_info: {database_url: {from_env: NOTES}}}
  customization: {root_fields: {prefix: ${source}_}, type_names: {prefix: ${source}_}}
  tables:
    - table: {schema: public, name: note}
      select_permissions:
        - {role: reader, permission: {columns: [id, title], filter: {owner: {_eq: X-Hasura-User-Id}}, limit: 5}}
`;
const notesSql =
  "create table note (id int primary key, owner text not null, title text); insert into note select n, 'owner ' || n % 2, 'note ' || n from generate_series(1, 10) n";
const metadataOf = (...sources: readonly string[]) => `version: 3\nsources:\n${sources.map(notes).join("")}`;

describe("of several sources", () => {
  test(
    "examines all sources in one run and separates them in the table and expectations",
    { timeout: generous },
    async () => {
      const [crm, billing] = [
        await newDatabase(notesSql),
        await newDatabase(notesSql, "insert into note values (11, 'owner 1', 'only here')"),
      ];
      const both = ["--database", `crm=${crm}`, "--database", `billing=${billing}`];
      const expectations = ["--expectations", "expectations.yaml"];
      const run = (metadata: string, ...more: readonly string[]) =>
        permissions(metadata, undefined, ...more, ...expectations);
      const several = metadataOf("crm", "billing");
      expect(await run(several, ...both)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("there is no file expectations.yaml") as string,
      });
      const first = await run(several, ...both, "--update-expectations", "--write", "table.md");
      expect([first.stderr, first.findings, first.code]).toEqual(["wrote expectations.yaml\nwrote table.md", [], 0]);
      expect(Object.keys(first.sources)).toEqual(["crm", "billing"]);
      expect(first.checks["rows"]).toBe(
        (first.sources["crm"]?.checks["rows"] ?? 0) + (first.sources["billing"]?.checks["rows"] ?? 0),
      );
      expect(readFileSync(join(folder, "table.md"), "utf8").match(/^## .*$/gm)).toEqual([
        "## Source crm",
        "## Source billing",
      ]);

      const written = readFileSync(join(folder, "expectations.yaml"), "utf8");
      expect(Object.keys((parse(written) as { sources: object }).sources)).toEqual(["crm", "billing"]);
      writeFileSync(join(folder, "expectations.yaml"), written.replace(/(billing:[\s\S]*?limit: )5/, "$16"));
      const changed = await run(several, ...both);
      expect([changed.code, changed.findings.map(({ rule, source }) => `${rule} ${source ?? ""}`)]).toEqual([
        1,
        ["expectation billing"],
      ]);
      expect(await run(several, "--source", "crm", "--database", crm)).toMatchObject({ code: 0, findings: [] });
      expect((await run(several, "--source", "billing", "--database", billing, "--update-expectations")).code).toBe(0);
      expect(readFileSync(join(folder, "expectations.yaml"), "utf8")).toBe(written);

      const gone = await run(metadataOf("crm", "sales"), "--database", `crm=${crm}`, "--database", `sales=${billing}`);
      expect(gone.findings.map(({ reason }) => reason)).toEqual(
        expect.arrayContaining(["there is a new source sales", "the source billing is gone"]),
      );
    },
  );

  test("check looks up the names of each in its own database", { timeout: generous }, async () => {
    const [crm, billing] = [await newDatabase(notesSql), await newDatabase(notesSql.replaceAll("title", "heading"))];
    writeFileSync(join(folder, "metadata.yaml"), metadataOf("crm", "billing"));
    const databases = ["--database", `crm=${crm}`, "--database", `billing=${billing}`];
    const { code, stdout } = await routeql(folder, ["lint", "--metadata", "metadata.yaml", ...databases]);
    expect([code, stdout.match(/metadata\.yaml:\d+ .*\n.*/g)]).toEqual([
      1,
      [
        "metadata.yaml:18  error  reference in source billing\n  reader on public.note: public.note has no column title",
      ],
    ]);
  });

  test(
    "rejects an expectations file of one source for all of them, and accepts it for the one",
    { timeout: generous },
    async () => {
      const address = await newDatabase(notesSql);
      const expectations = ["--expectations", "one.yaml"];
      expect((await permissions(metadataOf("crm"), address, ...expectations, "--update-expectations")).code).toBe(0);
      const all = await permissions(
        metadataOf("crm", "billing"),
        undefined,
        "--database",
        `crm=${address}`,
        "--database",
        `billing=${address}`,
        ...expectations,
      );
      expect([all.code, all.stderr]).toEqual([
        2,
        expect.stringContaining("one.yaml is for one source, and the metadata has crm, billing: give --source NAME"),
      ]);
      expect(
        await permissions(metadataOf("crm", "billing"), address, "--source", "crm", ...expectations),
      ).toMatchObject({ code: 0, findings: [] });
    },
  );

  test("examines one source by its name, despite problems of another", { timeout: generous }, async () => {
    const shop = styles["Hasura's own names"] ?? "";
    const [source = ""] = /- name: shop[\s\S]*?(?= {2}tables:)/.exec(shop) ?? [];
    // Before the shop, so that positions and the choice do not match the first source by chance.
    const several = shop.replace(
      "- name: shop",
      `${source.replace("shop", "warehouse")}  tables: [{table: nowhere}]\n- name: shop`,
    );
    const address = await newDatabase(shopSql);
    const named = await permissions(several, address, "--source", "shop");
    expect([named.stderr, named.findings, named.code]).toEqual(["", [], 0]);
    expect(named.checks["rows"]).toBeGreaterThan(20);
    const other = await permissions(several, address, "--source", "warehouse");
    expect([other.code, other.findings]).toEqual([
      1,
      [expect.objectContaining({ rule: "not-examined", reason: expect.stringContaining("nowhere") as string })],
    ]);
  });
});

describe("objects that cannot be examined", () => {
  const source = (more: string) => `version: 3
sources:
- name: default
  kind: postgres
  configuration: {connection_info: {database_url: {from_env: NOTES}}}
  tables:
    - table: {schema: public, name: note}
      object_relationships:
        - {name: kind, using: {manual_configuration: {remote_table: {schema: public, name: kind}, column_mapping: {kind_id: id}}}}
        - {name: sort, using: {manual_configuration: {remote_table: {schema: public, name: kind}, column_mapping: {type: type}}}}
      select_permissions:
        - {role: reader, permission: {columns: [id, type, title], filter: {owner: {_eq: X-Hasura-User-Id}}, limit: 5}}
    - table: {schema: public, name: kind}
      select_permissions:
        - {role: reader, permission: {columns: [id, type], filter: {}}}
${more}`;
  const sql = `create table kind (id text primary key, type text unique); insert into kind values ('a', 'b');
    create table note (id int primary key, owner text, title text, type text, secret text, kind_id uuid);
    insert into note select n, 'owner ' || n % 2, 'note ' || n, 'b' from generate_series(1, 20) n;
    create function touch(term text) returns setof note language sql volatile as $$ select * from note $$;`;

  test(
    "do not stop the others: an invalid relationship beside a mutation and columns called type",
    { timeout: generous },
    async () => {
      const { code, stderr, findings, checks } = await permissions(
        source("  functions:\n    - function: {schema: public, name: touch}\n"),
        await newDatabase(sql),
      );
      expect([stderr, code, findings.map(({ rule, reason }) => `${rule} ${reason}`)]).toEqual([
        "",
        1,
        [
          "not-examined not examined: public.note.kind: public.note.kind_id is uuid and public.kind.id is text, and Postgres cannot compare them",
        ],
      ]);
      expect(checks["rows"]).toBeGreaterThan(10);
      expect(checks["error-texts"]).toBeGreaterThan(10);
    },
  );
});

const unverifiable = new Set(["graphql_query/permissions"]);
/** True of the cases themselves: rows that leave their writer's sight, and permissions that no row of the case can use. */
const ofTheCases = new Set(["write-reach", "not-tried"]);
/** Their functions, or the parents of their inherited roles, exist for writes only, which the embedded engine does not serve. */
const needMutations = new Set(["graphql_mutation/functions", "graphql_mutation/roles_inheritance"]);
const folders = existsSync(fixtures)
  ? readFixtures(fixtures).filter(({ setup }) => JSON.stringify(setup).includes("create_select_permission"))
  : [];

if (folders.length === 0)
  test("Hasura's own test cases", (context) => context.skip("../shared/hasura-fixtures is absent"));

describe.skipIf(folders.length === 0)("Hasura's own test cases (../shared/hasura-fixtures)", () => {
  test.for(folders.map((each) => [each.name, each] as const))(
    "%s: everything is served as declared",
    { timeout: generous },
    async ([name, { setup }], { skip }) => {
      skip(needMutations.has(name), leftOut("its setup needs mutations"));
      const builder = new MetadataBuilder();
      const statements = setup.flatMap((command) => builder.apply(command));
      const extensions = /geometry|geography|raster/i.test(statements.join())
        ? ["create extension postgis", "create extension postgis_raster"]
        : [];
      const address = await newDatabase("create schema hge_tests", ...extensions, ...statements);
      const { stderr, findings } = await permissions(JSON.stringify(builder.merged()), address);
      expect(stderr).toBe("");
      // Filters by distance, and through a computed field with the session as its argument, cannot be written in SQL outside the engine.
      expect(
        findings
          .filter(({ rule }) => !ofTheCases.has(rule) && (rule !== "not-verified" || !unverifiable.has(name)))
          .map(({ reason }) => reason),
      ).toEqual([]);
    },
  );
});
