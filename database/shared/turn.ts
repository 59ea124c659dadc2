import type { Client } from "pg";
import { advisoryLocks } from "./advisory-locks.ts";

/** A value of lock_timeout; `0` waits without a limit. */
export type TurnTimeout = "0" | "2s";

/**
 * Runs `work` in its own transaction, while no other load or detection runs on the database. This prevents
 * deadlocks, and detection sees an update completely or not at all. Only the statement timeout bounds the wait,
 * unless `timeout` does.
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
    await client.query("rollback").catch(() => {}); // the connection may have failed
    throw error;
  }
}
