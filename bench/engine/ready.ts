import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Client } from "pg";
import { type Figure, figure } from "../measure/statistics.ts";
import { startEngineProcess } from "./contenders.ts";

const tables = Array.from({ length: 50 }, (_, index) => `table_${index}`);
const roles = ["viewer", "analyst", "tenant", "operator"];

/** Milliseconds from the engine's start to its first correct answer, with 50 tables and permissions for four roles. */
export async function measureReady(databaseUrl: string, owner: Client, starts: number): Promise<Figure> {
  await owner.query("create schema bench; grant usage on schema bench to routeql_engine");
  for (const [index, name] of tables.entries()) {
    const columns = Array.from({ length: 8 }, (_, column) => `column_${column} text`).join(", ");
    const parent = index === 0 ? "integer" : `integer references bench.${tables[index - 1]}`;
    await owner.query(
      `create table bench.${name} (id integer primary key, parent_id ${parent}, ${columns}); grant select on bench.${name} to routeql_engine`,
    );
  }
  const folder = await mkdtemp(join(tmpdir(), "routeql-bench-"));
  try {
    const file = join(folder, "metadata.json");
    await writeFile(file, JSON.stringify(metadata()));
    const start = async (): Promise<number> => {
      await using engine = await startEngineProcess(databaseUrl, { metadata: file });
      return engine.server.readyMilliseconds;
    };
    const milliseconds: number[] = [];
    for (let index = 0; index < starts; index += 1) milliseconds.push(await start());
    return figure(milliseconds);
  } finally {
    await rm(folder, { recursive: true });
    await owner.query("drop schema bench cascade");
  }
}

function metadata(): object {
  const entries = tables.map((name, index) => ({
    table: { schema: "bench", name },
    ...(index === 0
      ? {}
      : { object_relationships: [{ name: "parent", using: { foreign_key_constraint_on: "parent_id" } }] }),
    select_permissions: roles.map((role) => ({
      role,
      permission: { columns: "*", filter: { id: { _gt: 0 } }, limit: 100, allow_aggregations: true },
    })),
  }));
  const connection = { connection_info: { database_url: { from_env: "ROUTEQL_DATABASE_URL" } } };
  return { version: 3, sources: [{ name: "default", kind: "postgres", configuration: connection, tables: entries }] };
}
