import type { Client } from "pg";

const LOAD_LOCK = "7241865325823966";

/**
 * Runs `work` in a transaction of its own, taking turns with every other load and run of detection on the database: none waits for
 * another's rows in a ring, and detection sees an update either whole or not at all. How long a turn may be waited for is bounded by the
 * statement timeout alone.
 */
export async function inTurn<T>(client: Client, work: () => Promise<T>): Promise<T> {
  await client.query("begin; set local lock_timeout = 0");
  try {
    await client.query("select pg_advisory_xact_lock($1)", [LOAD_LOCK]);
    await client.query("set local lock_timeout to default");
    const result = await work();
    await client.query("commit");
    return result;
  } catch (error) {
    await client.query("rollback").catch(() => {}); // the connection may be what failed
    throw error;
  }
}
