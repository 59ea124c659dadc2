import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { routeql } from "hasura-checks/testing/tool";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ConformanceDatabase, startConformanceDatabase } from "../conformance/database.ts";
import { adminSecret, type EngineProcess, startEngineProcess } from "../engine/support/engine-process.ts";
import { newDatabase } from "./support/new-database.ts";
import { startTamperingProxy, type TamperingProxy } from "./support/tampering-proxy.ts";
import { checkKinds } from "../permissions/support/check-kinds.ts";

/** `hasura-checks permissions --endpoint` against an engine over HTTP, with faults that a proxy introduces. */

const generous = 300_000;

const sql = `
  create table note (id int primary key, owner text not null, title text, secret text, score numeric);
  insert into note select n, 'owner ' || n % 3, 'note ' || n, 'secret ' || n, n * 1.10 from generate_series(1, 60) n;
  create table remark (id int primary key, note_id int not null references note, text text not null);
  insert into remark select n, n % 60 + 1, 'remark ' || n from generate_series(1, 120) n;`;

const own = "{owner: {_eq: X-Hasura-User-Id}}";
const onlySelect = "query_root_fields: [select, select_aggregate], subscription_root_fields: [select],";

/** A role's permissions on the two tables. */
interface Grant {
  readonly columns?: string;
  readonly filter?: string;
  readonly limit?: string;
  readonly roots?: string;
  readonly nestedLimit?: string;
}

const onNote = ([
  role,
  { columns = "[id, title, score]", filter = own, limit = "limit: 10,", roots = onlySelect },
]: readonly [string, Grant]) =>
  `        - {role: ${role}, permission: {columns: ${columns}, filter: ${filter}, ${limit} ${roots} allow_aggregations: true}}\n`;
const onRemark = ([role, { nestedLimit = "limit: 1" }]: readonly [string, Grant]) =>
  `        - {role: ${role}, permission: {columns: [id, text], filter: {note: ${own}}, ${nestedLimit}}}\n`;

const metadata = (roles: readonly (readonly [string, Grant])[]) => `version: 3
sources:
- name: notes
  kind: postgres
  configuration: {connection_info: {database_url: {from_env: NOTES}}}
  tables:
    - table: {schema: public, name: note}
      array_relationships:
        - {name: remarks, using: {foreign_key_constraint_on: {table: {schema: public, name: remark}, column: note_id}}}
      select_permissions:
${roles.map(onNote).join("")}
    - table: {schema: public, name: remark}
      object_relationships:
        - {name: note, using: {foreign_key_constraint_on: note_id}}
      select_permissions:
${roles.map(onRemark).join("")}`;

/** One role of the engine for each fault; the declaration has only the reader. */
const faults: readonly {
  readonly what: string;
  readonly role: string;
  readonly grant: Grant;
  readonly rule: string;
  readonly reason: string;
  readonly hidden?: boolean;
}[] = [
  { what: "an ignored limit", role: "lavish", grant: { limit: "" }, rule: "limit", reason: "rows of note at once" },
  {
    what: "an ignored limit of nested lists",
    role: "nested",
    grant: { nestedLimit: "" },
    rule: "relationships",
    reason: "remarks",
  },
  { what: "an ignored filter", role: "open", grant: { filter: "{}" }, rule: "rows", reason: "is served" },
  {
    what: "a leaked column",
    role: "leaker",
    grant: { columns: "[id, title, score, secret]" },
    rule: "schema",
    reason: "secret",
  },
  {
    what: "a leaked column that introspection hides",
    role: "leaker",
    grant: { columns: "[id, title, score, secret]" },
    rule: "execution",
    reason: "secret",
    hidden: true,
  },
  { what: "a missing column", role: "misser", grant: { columns: "[id, title]" }, rule: "schema", reason: "score" },
  { what: "ignored query_root_fields", role: "rooted", grant: { roots: "" }, rule: "schema", reason: "note_by_pk" },
  {
    what: "ignored query_root_fields that introspection hides",
    role: "rooted",
    grant: { roots: "" },
    rule: "execution",
    reason: "note_by_pk",
    hidden: true,
  },
];

let database: ConformanceDatabase;
let engine: EngineProcess;
let proxy: TamperingProxy;
let folder: string;
let address: string;

beforeAll(async () => {
  database = await startConformanceDatabase();
  folder = mkdtempSync(join(tmpdir(), "running-"));
  address = await newDatabase(database, sql);
  writeFileSync(
    join(folder, "served.yaml"),
    metadata([...new Map<string, Grant>([["reader", {}], ...faults.map(({ role, grant }) => [role, grant] as const)])]),
  );
  writeFileSync(join(folder, "metadata.yaml"), metadata([["reader", {}]]));
  writeFileSync(join(folder, "secret"), `${adminSecret}\n`);
  engine = await startEngineProcess({ ENGINE_METADATA_DIRECTORY: join(folder, "served.yaml"), NOTES: address });
  proxy = await startTamperingProxy(new URL(engine.url));
}, generous);

afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await engine[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
  await database[Symbol.asyncDispose]();
});

async function permissions(endpoint: string, ...more: readonly string[]) {
  const engineOptions = ["--endpoint", endpoint, "--admin-secret-file", "secret"];
  const { code, stdout, stderr } = await routeql(folder, [
    "permissions",
    "--metadata",
    "metadata.yaml",
    "--database",
    address,
    ...engineOptions,
    "--json",
    ...more,
  ]);
  const report = JSON.parse(stdout || "{}") as {
    findings?: readonly { rule: string; reason: string; remedy: string }[];
    checks?: Readonly<Record<string, number>>;
  };
  return { code, stderr: stderr.trimEnd(), findings: report.findings ?? [], checks: report.checks ?? {} };
}

describe("a running engine", () => {
  test("that serves the declared metadata has no findings", { timeout: generous }, async () => {
    proxy.replace("reader", "reader");
    const { code, stderr, findings, checks } = await permissions(proxy.url);
    expect([stderr, findings.map(({ reason }) => reason), code]).toEqual(["", [], 0]);
    for (const kind of checkKinds) expect(checks[kind], kind).toBeGreaterThan(10);
  });

  test.each(faults)("with $what is detected", { timeout: generous }, async ({ role, rule, reason, hidden }) => {
    proxy.replace("reader", role, hidden);
    const { code, findings } = await permissions(proxy.url);
    expect(code).toBe(1);
    const found = findings.filter((finding) => finding.rule === rule && finding.reason.includes(reason));
    expect(
      found,
      JSON.stringify(
        findings.map((finding) => `${finding.rule}: ${finding.reason}`),
        null,
        1,
      ),
    ).not.toEqual([]);
    expect(found[0]?.remedy).toContain("compare the metadata of the engine");
  });

  test("that rejects the secret or does not answer ends the run with the reason", { timeout: generous }, async () => {
    writeFileSync(join(folder, "secret"), "another");
    expect(await permissions(engine.url)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("rejected the admin secret") as string,
    });
    writeFileSync(join(folder, "secret"), adminSecret);
    expect(await permissions("http://127.0.0.1:1")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("does not answer") as string,
    });
  });
});
