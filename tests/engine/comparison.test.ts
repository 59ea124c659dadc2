import { expect, test } from "vitest";
import { startConformanceDatabase } from "../conformance/database.ts";
import { execute } from "../harness/execute.ts";
import { createDatabase, type Pair, pairOf, startEmbedded } from "../differential/pair.ts";
import { compareWorld, emptyTally, type Tally } from "../differential/run.ts";
import { worldNamed } from "../differential/worlds.ts";

/** Two embedded engines: the comparison itself is tested, without Hasura. */
async function startTwoEmbedded(): Promise<Pair> {
  await using stack = new AsyncDisposableStack();
  const { address: database } = stack.use(await startConformanceDatabase());
  const hasura = stack.use(await startEmbedded(await createDatabase(database, "one")));
  const embedded = stack.use(await startEmbedded(await createDatabase(database, "other")));
  return pairOf({ hasura, embedded, database }, stack.move());
}

/** Runs only in the database of the second engine. */
const trigger = (table: string, event: string, action: string): string => `
  create function planted() returns trigger language plpgsql as $$ begin
    if current_database() like '%\\_twin' and pg_trigger_depth() = 1 then ${action}; end if;
    return null;
  end $$;
  create trigger planted after ${event} on ${table} for each row execute function planted()`;

async function compareWrites(pair: Pair, requests: number, fault?: string): Promise<Tally> {
  const tally = emptyTally();
  await worldNamed("sample")(pair, async (world) => {
    if (fault !== undefined) await execute(world.database, fault);
    await compareWorld(pair, world, { requests, seed: 7, writes: true }, tally);
  });
  return tally;
}

const faults: Readonly<Record<string, string>> = {
  "a changed value": trigger("article", "insert or update", "update article set score = 9 where id = new.id"),
  "an additional row": trigger("article", "insert or update", "insert into kind values ('planted')"),
};

test("the comparison of writes finds planted faults", { timeout: 1_200_000 }, async () => {
  await using pair = await startTwoEmbedded();
  const sound = await compareWrites(pair, 200);
  expect(sound.unexplained).toEqual([]);
  expect(sound.changed).toBeGreaterThan(40);
  for (const [name, fault] of Object.entries(faults)) {
    const { unexplained } = await compareWrites(pair, 40, fault);
    expect(unexplained.length, name).toBeGreaterThan(0);
    expect(unexplained[0]?.hasura, name).not.toBe(unexplained[0]?.embedded);
  }
});
