import { type Client, DatabaseError } from "pg";
import { advisoryLocks } from "../advisory-locks.ts";
import type { TurnTimeout } from "../load/turn.ts";
import { InTheWay, lockNotAvailable } from "./patience.ts";

/**
 * Runs `work` while nobody else prunes or puts partitions together: none finds one gone that it has just listed. Loads and queries need not wait.
 * @throws InTheWay when whoever is at work is not done within `timeout`
 */
export async function alone<T>(client: Client, timeout: TurnTimeout, work: () => Promise<T>): Promise<T> {
  await client.query(`set lock_timeout = '${timeout}'`);
  try {
    await client.query(`select pg_advisory_lock(${advisoryLocks.maintenance})`);
  } catch (error) {
    if (error instanceof DatabaseError && error.code === lockNotAvailable) throw new InTheWay("npm run prune is at work", { cause: error });
    throw error;
  } finally {
    await client.query("reset lock_timeout");
  }
  try {
    return await work();
  } finally {
    // When the connection is what failed, the lock is gone with it.
    await client.query(`select pg_advisory_unlock(${advisoryLocks.maintenance})`).catch(() => {});
  }
}
