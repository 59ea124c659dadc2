import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { startConformanceDatabase } from "@routeql/tests/conformance/database";
import { mustRun, run } from "@routeql/tests/harness/process";
import pg from "pg";
import { median } from "../measure/statistics.ts";
import { surroundings, writeResults } from "../report.ts";

const workspace = resolve(import.meta.dirname, "../../hasura-checks");

/** Maximum milliseconds for the metadata of 200 tables and 10 roles, including the start of the process. */
const lintLimit = 2000;
/** Minimum checks per second. */
const checksLimit = 4000;

/**
 * Runs `hasura-checks lint` and `permissions` of the packed tool, like a user.
 * @returns the path of the results
 */
export async function benchChecks({ quick }: { readonly quick: boolean }): Promise<string> {
  const machine = surroundings(quick);
  const folder = mkdtempSync(join(tmpdir(), "bench-checks-"));
  try {
    await mustRun(process.execPath, [join(workspace, "build.ts"), join(folder, "dist")]);
    await mustRun("cp", ["-r", join(workspace, "bin"), join(workspace, "package.json"), folder]);
    const tool = (args: readonly string[]) =>
      run(process.execPath, [join(folder, "bin/hasura-checks.js"), ...args], { cwd: folder, timeout: 600_000 });
    writeFileSync(join(folder, "large.yaml"), projectOf(200, 10, 0).metadata);
    const times: number[] = [];
    for (let round = 0; round < (quick ? 3 : 9); round += 1) {
      const began = performance.now();
      await tool(["lint", "--metadata", "large.yaml", "--json"]);
      times.push(performance.now() - began);
    }
    const small = projectOf(quick ? 10 : 25, 10, 30);
    writeFileSync(join(folder, "small.yaml"), small.metadata);
    await using database = await startConformanceDatabase();
    const client = new pg.Client({ connectionString: database.address });
    await client.connect();
    await client.query(small.sql);
    await client.end();
    const rates: number[] = [];
    let checked = 0;
    for (let round = 0; round < (quick ? 1 : 3); round += 1) {
      const { stdout, stderr } = await tool([
        "permissions",
        "--metadata",
        "small.yaml",
        "--database",
        database.address,
        "--json",
      ]);
      if (stdout === "") throw new Error(stderr);
      const { checks, seconds, findings } = JSON.parse(stdout) as {
        checks: Readonly<Record<string, number>>;
        seconds: number;
        findings: readonly { severity: string }[];
      };
      if (findings.some(({ severity }) => severity === "error"))
        throw new Error("the embedded engine serves something that is not declared");
      checked = Object.values(checks).reduce((sum, count) => sum + count, 0);
      rates.push(checked / seconds);
    }
    const results = {
      lint: {
        tables: 200,
        roles: 10,
        milliseconds: Math.round(median(times)),
        limit: lintLimit,
        holds: median(times) < lintLimit,
      },
      permissions: {
        checks: checked,
        "checks per second": Math.round(median(rates)),
        limit: checksLimit,
        holds: median(rates) >= checksLimit,
      },
    };
    console.table(results);
    return writeResults("checks", { surroundings: machine, ...results });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** SQL and metadata of a project of a given size: each role reads the rows that its session selects. */
export interface Project {
  readonly sql: string;
  /** Merged metadata as JSON, which is valid YAML. */
  readonly metadata: string;
}

const columns = ["id", "owner", "title", "status", "amount", "note", "created_at"];

/** A chain of tables, each with a reference to the previous one; permissions to read and to write for every role. */
export function projectOf(tables: number, roles: number, rows: number): Project {
  const numbers = Array.from({ length: tables }, (_none, index) => index);
  const sql = numbers.map(
    (n) =>
      `create table item_${n} (id int primary key, owner text not null, title text, status text, amount numeric, note text, created_at timestamptz not null default '2026-01-01'${n === 0 ? "" : `, parent_id int references item_${n - 1}`});
       insert into item_${n} (id, owner, title, status, amount, note${n === 0 ? "" : ", parent_id"}) select g, 'owner ' || g % 3, 'title ' || g, 'open', g * 1.5, 'note ' || g${n === 0 ? "" : ", g"} from generate_series(1, ${rows}) g;`,
  );
  const own = { owner: { _eq: "X-Hasura-User-Id" } };
  const metadata = {
    version: 3,
    sources: [
      {
        name: "default",
        kind: "postgres",
        configuration: { connection_info: { database_url: { from_env: "BENCH_DATABASE" } } },
        tables: numbers.map((n) => ({
          table: { schema: "public", name: `item_${n}` },
          object_relationships: n === 0 ? [] : [{ name: "parent", using: { foreign_key_constraint_on: "parent_id" } }],
          select_permissions: Array.from({ length: roles }, (_none, role) => ({
            role: `role_${role}`,
            permission: {
              columns: columns.slice(0, 3 + (role % 5)),
              filter: role % 2 === 0 ? own : { _or: [own, { status: { _eq: "shared" } }] },
              limit: 100,
            },
          })),
          update_permissions: Array.from({ length: roles }, (_none, role) => ({
            role: `role_${role}`,
            permission: { columns: ["title"], filter: own, check: own },
          })),
        })),
      },
    ],
  };
  return { sql: sql.join("\n"), metadata: JSON.stringify(metadata) };
}
