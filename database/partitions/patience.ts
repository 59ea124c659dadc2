import { setTimeout as delay } from "node:timers/promises";
import { type Client, DatabaseError } from "pg";
import { inTurn, type TurnTimeout } from "../load/turn.ts";

export interface Patience {
  /** How long a load or detection is waited for, each time. */
  readonly turn: TurnTimeout;
  /** How often it is tried. */
  readonly attempts: number;
}

/** Others were in the way at every attempt; nothing was changed. */
export class InTheWay extends Error {}

export const lockNotAvailable = "55P03";
const deadlockDetected = "40P01";

/**
 * Runs `work` in a turn of its own (see inTurn), in which it waits two seconds at most for whatever a query or a writer holds: who comes after it
 * waits no longer for its sake. When that does not do, it lets the others go first, and tries again.
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
      if (!(error instanceof DatabaseError) || (error.code !== lockNotAvailable && error.code !== deadlockDetected)) throw error;
      if (attempt === attempts) throw new InTheWay("a load or a long query was in the way all the time; what is done stays done, run this again later", { cause: error });
      await delay(1000);
    }
  }
}
