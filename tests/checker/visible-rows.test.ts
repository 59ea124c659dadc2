import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { routeql } from "hasura-checks/testing/tool";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ConformanceDatabase, startConformanceDatabase } from "../conformance/database.ts";
import { newDatabase } from "./support/new-database.ts";

/** `hasura-checks lint --database`: filters that seem bound to the session but show almost every row. */

const generous = 300_000;

const sql = `
  create table note (id int primary key, owner text not null, public bool not null, level int not null);
  insert into note select n, 'owner ' || n % 4, n % 20 <> 0, n % 5 from generate_series(1, 60) n;
  create table member (id int primary key, login text not null);
  insert into member select n, 'owner ' || n from generate_series(0, 3) n;
  create table draft (id int primary key, owner text not null);
  insert into draft select n, 'owner 1' from generate_series(1, 10) n;`;

/** Roles on the table of notes, their filters, and the rows that the rule reports. */
const roles: readonly (readonly [role: string, filter: string, finding: string | undefined])[] = [
  ["negated", "{owner: {_neq: X-Hasura-User-Id}}", "shows 60 of 60 rows to a session whose values no row holds"],
  [
    "unlinked",
    "{_exists: {_table: {schema: public, name: member}, _where: {login: {_eq: X-Hasura-User-Id}}}}",
    "shows at least 60 of 60 rows to each of 3 sessions",
  ],
  [
    "published",
    "{_or: [{public: {_eq: true}}, {owner: {_eq: X-Hasura-User-Id}}]}",
    "shows 57 of 60 rows to a session whose values no row holds",
  ],
  ["own", "{owner: {_eq: X-Hasura-User-Id}}", undefined],
  ["half", "{_or: [{level: {_in: [0, 1, 2]}}, {owner: {_eq: X-Hasura-User-Id}}]}", undefined],
  ["everything", "{}", undefined],
  ["ordered", "{level: {_gte: X-Hasura-Level}}", undefined],
  ["backend", "{owner: {_neq: X-Hasura-User-Id}}", undefined],
];

const permission = (role: string, filter: string) =>
  `      - {role: ${role}, permission: {columns: [id], filter: ${filter}, limit: 10}}\n`;
const metadata = `version: 3
sources:
- name: notes
  kind: postgres
  configuration: {connection_info: {database_url: {from_env: NOTES}}}
  tables:
    - table: {schema: public, name: member}
    - table: {schema: public, name: draft}
      select_permissions:
${permission("negated", "{owner: {_neq: X-Hasura-User-Id}}")}
    - table: {schema: public, name: note}
      select_permissions:
${roles.map(([role, filter]) => permission(role, filter)).join("")}`;

let database: ConformanceDatabase;
let folder: string;
let address: string;

beforeAll(async () => {
  database = await startConformanceDatabase();
  address = await newDatabase(database, sql);
  folder = mkdtempSync(join(tmpdir(), "visible-"));
  writeFileSync(join(folder, "metadata.yaml"), metadata);
  writeFileSync(join(folder, "hasura-checks.yaml"), "trustedRoles: [backend]\n");
}, generous);

afterAll(async () => {
  rmSync(folder, { recursive: true });
  await database[Symbol.asyncDispose]();
});

async function lint(...more: readonly string[]): Promise<string> {
  const { stdout, stderr } = await routeql(folder, [
    "lint",
    "--metadata",
    "metadata.yaml",
    "--database",
    address,
    ...more,
  ]);
  expect(stderr).toBe("");
  return stdout;
}

describe("filters that are open in effect", () => {
  test.each(roles)("of the role %s: reported as expected", { timeout: generous }, async (role, _filter, finding) => {
    const { findings } = JSON.parse(await lint("--json", "--rule", "open-in-effect")) as {
      findings: readonly { role: string; table: string; reason: string }[];
    };
    const reasons = findings.filter((found) => found.role === role).map(({ table, reason }) => [table, reason]);
    expect(reasons).toEqual(finding === undefined ? [] : [["public.note", expect.stringContaining(finding)]]);
  });

  test("--visible-rows lists the rows of each table and role", { timeout: generous }, async () => {
    const lines = (await lint("--visible-rows")).split("\n").map((line) => line.replaceAll(/ {2,}/g, " | "));
    expect(lines).toContain("TABLE | ROLE | ROWS | SESSIONS | TO A STRANGER");
    expect(lines).toContain("public.note | own | 15 of 60 | 3 | 0");
    expect(lines).toContain("public.note | half | 42 of 60 | 3 | 36");
    expect(lines).toContain("public.note | everything | 60 of 60 | 1");
    expect(lines).toContain("public.draft | negated | 0 of 10 | 1 | 10");
  });
});
