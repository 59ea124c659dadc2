import type { Client } from "pg";
import { advisoryLocks } from "../advisory-locks.ts";

/** A value of lock_timeout; `0` waits until the others are done. */
export type TurnTimeout = "0" | "2s";

/**
 * Runs `work` in a transaction of its own, taking turns with every other load and run of detection on the database: none waits for
 * another's rows in a ring, and detection sees an update either whole or not at all. How long a turn may be waited for is bounded by the
 * statement timeout alone, unless `timeout` says otherwise.
 */
export async function inTurn<T>(client: Client, work: () => Promise<T>, timeout: TurnTimeout = "0"): Promise<T> {
  await client.query(`begin; set local lock_timeout = '${timeout}'`);
  try {
    await client.query("select pg_advisory_xact_lock($1)", [advisoryLocks.turn]);
    await client.query("set local lock_timeout to default");
    const result = await work();
    await client.query("commit");
    return result;
  } catch (error) {
    await client.query("rollback").catch(() => {}); // the connection may be what failed
    throw error;
  }
}
