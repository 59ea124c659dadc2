import { type Client, DatabaseError } from "pg";
import { advisoryLocks } from "../shared/advisory-locks.ts";
import type { TurnTimeout } from "../shared/turn.ts";
import { InTheWay, lockNotAvailable } from "./patience.ts";

/**
 * Runs `work` while no other prune or merge runs, so that a listed partition stays. Loads and queries need not wait.
 * @throws InTheWay when the other run does not end within `timeout`
 */
export async function alone<T>(client: Client, timeout: TurnTimeout, work: () => Promise<T>): Promise<T> {
  await client.query(`set lock_timeout = '${timeout}'`);
  try {
    await client.query(`select pg_advisory_lock(${advisoryLocks.maintenance})`);
  } catch (error) {
    if (error instanceof DatabaseError && error.code === lockNotAvailable)
      throw new InTheWay("npm run prune is running", { cause: error });
    throw error;
  } finally {
    await client.query("reset lock_timeout");
  }
  try {
    return await work();
  } finally {
    // If the connection failed, the lock is released.
    await client.query(`select pg_advisory_unlock(${advisoryLocks.maintenance})`).catch(() => {});
  }
}
