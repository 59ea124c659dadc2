import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { main } from "../../tools/routeql/src/main.ts";
import { readFixtures } from "../conformance/cases.ts";
import { type ConformanceDatabase, startConformanceDatabase } from "../conformance/database.ts";
import { MetadataBuilder } from "../conformance/metadata-builder.ts";
import { shopSql, styles } from "./support/shop.ts";

/* `routeql permissions` on metadata that are not the project's: a shop in several styles, and Hasura's own test cases where they are at hand. */

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

async function execute(address: string, ...statements: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: address });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

async function newDatabase(...statements: readonly string[]): Promise<string> {
  const name = `foreign_${randomBytes(4).toString("hex")}`;
  await execute(server.address, `create database ${name}`);
  const address = new URL(server.address);
  address.pathname = `/${name}`;
  await execute(address.href, ...statements);
  return address.href;
}

async function permissions(metadata: string, address: string, ...more: readonly string[]) {
  writeFileSync(join(folder, "metadata.yaml"), metadata);
  const [stdout, stderr]: [string[], string[]] = [[], []];
  const surroundings = { directory: folder, environment: {}, colours: false, out: (text: string) => stdout.push(text), err: (text: string) => stderr.push(text) };
  const code = await main(["permissions", "--metadata", "metadata.yaml", "--database", address, "--json", ...more], surroundings);
  const report = JSON.parse(stdout.join("") || "{}") as { findings?: readonly { rule: string; reason: string }[]; checks?: Readonly<Record<string, number>> };
  return { code, stderr: stderr.join("\n"), findings: report.findings ?? [], checks: report.checks ?? {} };
}

describe("a shop with inherited roles, functions, keys, an enum table and a computed field, in", () => {
  test.each(Object.keys(styles))("%s: all is served as declared", { timeout: generous }, async (style) => {
    const { code, stderr, findings, checks } = await permissions(styles[style] ?? "", await newDatabase(shopSql));
    expect([stderr, findings.map(({ reason }) => reason), code]).toEqual(["", [], 0]);
    for (const kind of ["schema", "execution", "rows", "limit", "aggregates", "relationships", "hidden-rows", "sessions", "error-texts"]) expect(checks[kind], kind).toBeGreaterThan(20);
  });
});

test("of several sources one is looked at, by its name", { timeout: generous }, async () => {
  const shop = styles["Hasura's own names"] ?? "";
  const [source = ""] = /- name: shop[\s\S]*?(?= {2}tables:)/.exec(shop) ?? [];
  // Before the shop, so that positions and the choice are not those of the first by chance.
  const several = shop.replace("- name: shop", `${source.replace("shop", "warehouse")}  tables: [{table: nowhere}]\n- name: shop`);
  const unnamed = await permissions(several, server.address);
  expect([unnamed.code, unnamed.stderr]).toEqual([2, expect.stringContaining("give --source warehouse or --source shop")]);
  const address = await newDatabase(shopSql);
  const named = await permissions(several, address, "--source", "shop");
  expect([named.stderr, named.findings, named.code]).toEqual(["", [], 0]);
  expect(named.checks["rows"]).toBeGreaterThan(20);
  const other = await permissions(several, address, "--source", "warehouse");
  expect([other.code, other.stderr]).toEqual([2, expect.stringMatching(/metadata\.yaml:\d+: .*nowhere/)]);
});

const unverifiable = new Set(["graphql_query/permissions"]);
const folders = existsSync(fixtures) ? readFixtures(fixtures).filter(({ setup }) => JSON.stringify(setup).includes("create_select_permission")) : [];

describe.skipIf(folders.length === 0)("Hasura's own test cases (../shared/hasura-fixtures)", () => {
  test.each(folders.map((each) => [each.name, each] as const))("%s: all is served as declared", { timeout: generous }, async (name, { setup }) => {
    const builder = new MetadataBuilder();
    const steps = setup.flatMap((command) => builder.apply(command));
    const extensions = /geometry|geography|raster/i.test(JSON.stringify(steps)) ? ["create extension postgis", "create extension postgis_raster"] : [];
    const address = await newDatabase("create schema hge_tests", ...extensions, ...steps.map(({ sql }) => sql));
    const { stderr, findings } = await permissions(JSON.stringify(builder.merged()), address);
    expect(stderr).toBe("");
    // Filters by distance, and through a computed field that takes the session, cannot be written in SQL apart from the engine.
    expect(findings.filter(({ rule }) => rule !== "not-verified" || !unverifiable.has(name)).map(({ reason }) => reason)).toEqual([]);
  });
});
