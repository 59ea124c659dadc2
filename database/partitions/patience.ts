import { setTimeout as delay } from "node:timers/promises";
import { type Client, DatabaseError } from "pg";
import { advisoryLocks, inTurn } from "@routeql/database-access/advisory-locks";

export const lockNotAvailable = "55P03";

/** Up to a minute and a half for long queries. */
const attempts = 30;

/** Runs `work` in its own turn (see inTurn) with locks that it awaits for two seconds at most, then tries again. @throws Error */
export async function patiently<T>(client: Client, work: () => Promise<T>): Promise<T> {
  const bounded = async (): Promise<T> => {
    await client.query("set local lock_timeout = '2s'");
    return work();
  };
  for (let attempt = 1; ; attempt++) {
    try {
      return await inTurn(client, bounded);
    } catch (error) {
      if (!(error instanceof DatabaseError) || error.code !== lockNotAvailable) throw error;
      if (attempt === attempts)
        throw new Error(
          "a load or a long query held the locks all the time. Finished work is kept. Run the command again later",
          { cause: error },
        );
      await delay(1000);
    }
  }
}

/** Runs `work` while no other prune runs, so that a listed partition stays. Loads and queries need not wait. */
export async function alone<T>(client: Client, work: () => Promise<T>): Promise<T> {
  // The owner's role limits the wait for locks, but another prune may take hours.
  await client.query(`set lock_timeout = 0; select pg_advisory_lock(${advisoryLocks.maintenance}); reset lock_timeout`);
  try {
    return await work();
  } finally {
    // If the connection failed, the lock is released.
    await client.query(`select pg_advisory_unlock(${advisoryLocks.maintenance})`).catch(() => {});
  }
}
