import { setTimeout as delay } from "node:timers/promises";
import { type Client, DatabaseError } from "pg";
import { advisoryLocks, inTurn, type TurnTimeout } from "../shared/advisory-locks.ts";

export interface Patience {
  /** How long each attempt waits for a load or detection. */
  readonly turn: TurnTimeout;
  readonly attempts: number;
}

/** Other work held the locks at every attempt; nothing was changed. */
export class InTheWay extends Error {}

export const lockNotAvailable = "55P03";
const deadlockDetected = "40P01";

/**
 * Runs `work` in its own turn (see inTurn) and waits at most two seconds for locks of queries or writers, so that later queries
 * wait no longer than that. If it does not get the locks, it lets the others finish and tries again.
 * @throws InTheWay
 */
export async function patiently<T>(client: Client, { turn, attempts }: Patience, work: () => Promise<T>): Promise<T> {
  const bounded = async (): Promise<T> => {
    await client.query("set local lock_timeout = '2s'");
    return work();
  };
  for (let attempt = 1; ; attempt++) {
    try {
      return await inTurn(client, bounded, turn);
    } catch (error) {
      if (!(error instanceof DatabaseError) || (error.code !== lockNotAvailable && error.code !== deadlockDetected))
        throw error;
      if (attempt === attempts)
        throw new InTheWay(
          "a load or a long query held the locks all the time; finished work is kept, run this again later",
          { cause: error },
        );
      await delay(1000);
    }
  }
}

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
