import { setTimeout as delay } from "node:timers/promises";
import { type Client, DatabaseError } from "pg";
import { inTurn, type TurnTimeout } from "../shared/turn.ts";

export interface Patience {
  /** How long each attempt waits for a load or detection. */
  readonly turn: TurnTimeout;
  /** Number of attempts. */
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
