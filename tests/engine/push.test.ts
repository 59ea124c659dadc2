/** Live queries after notices of changes, beside the same by polling. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createEngine } from "@routeql/engine";
import { type StartedDatabaseContainer, startDatabase } from "../harness/containers/database-container.ts";
import { comparePush } from "./support/push-comparison.ts";
import { sessionOf } from "./support/routing.ts";

/** `npm run test:push` makes many. */
const changes = Number(process.env["ROUTEQL_PUSH_CHANGES"] ?? 800);
const rounds = Math.ceil(changes / 200);

let database: StartedDatabaseContainer;

beforeAll(async () => {
  database = await startDatabase();
});

afterAll(async () => database.stop());

describe("an explanation", () => {
  test.each([
    ["view_hijacks { key }", { noticed: true, tables: ["public.view_hijacks", "routing.hijacks"], reason: null }],
    ["view_bgpupdates(limit: 1) { prefix }", { noticed: true, tables: ["routing.bgp_updates"], reason: null }],
    [
      'view_hijacks(where: {time_last: {_gt: "yesterday"}}) { key }',
      {
        noticed: false,
        tables: [],
        reason: "a value such as now or today changes the answer without a change of data",
      },
    ],
  ])("of a subscription names the tables or the reason: %s", async (field, changesOf) => {
    await using engine = await engineOn(database);
    const explained = await engine.engine.explain({ query: `subscription { ${field} }` }, sessionOf("admin"));
    const { changes: found } = explained as { readonly changes: { readonly tables: readonly string[] } };
    const tables = found.tables.filter((name) => !/bgp_updates_/.test(name)).toSorted();
    expect({ ...found, tables }).toEqual(changesOf);
  });
});

async function engineOn(container: StartedDatabaseContainer) {
  const engine = await createEngine({
    metadata: "hasura-metadata",
    environment: { ROUTEQL_DATABASE_URL: container.getConnectionUri("engine") },
  });
  return { engine, [Symbol.asyncDispose]: () => engine.close() };
}

test(
  "ends with the same answers as polling, with writers, roles, streams and lost listeners",
  { timeout: 60_000 + changes * 100 },
  async ({ annotate }) => {
    const found = await comparePush(
      {
        owner: database.getConnectionUri("owner"),
        engine: database.getConnectionUri("engine"),
        administrator: database.getConnectionUri("bootstrap"),
      },
      { changes, rounds, seed: Date.now() % 1_000_000 },
    );
    await annotate(JSON.stringify(found));
    expect(found).toMatchObject({ wrong: [], missed: 0 });
    expect(found.listenersKilled).toBeGreaterThan(0);
  },
);
