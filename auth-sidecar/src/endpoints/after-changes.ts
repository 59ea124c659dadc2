import type { Response } from "express";
import { BoundedQueue } from "../bounded-queue.ts";
import { AccountChanged } from "../errors.ts";

/** Maximum wait of a request in milliseconds; less than SHUTDOWN_SECONDS, so that a stop finishes the requests. */
const longestWait = 7000;

type Issue = () => Promise<void>;

/**
 * Repeats `issue` from its start after {@link AccountChanged}, when a new token is accepted. A wait ends with the client's connection.
 * @param most maximum requests that wait; further ones are rejected with {@link TooManyRequests}
 * @throws {AccountChanged} when the wait would be too long; any error of `issue`
 */
export function afterChanges(most: number): (response: Response, issue: Issue) => Promise<void> {
  const waits = new BoundedQueue({ concurrency: most, waiting: 0 });
  return async (response, issue) => {
    for (let left = longestWait; ;) {
      try {
        return await issue();
      } catch (error) {
        if (!(error instanceof AccountChanged)) throw error;
        // A timer of Node can end a millisecond early.
        const wait = Math.max(1, error.usableFrom * 1000 - Date.now() + 1);
        if (wait > left) throw error;
        left -= wait;
        await waits.run(() => pause(response, wait));
        if (response.destroyed) return;
      }
    }
  };
}

/** Resolves after the time, or earlier when the client leaves. */
async function pause(response: Response, milliseconds: number): Promise<void> {
  if (response.destroyed) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  response.once("close", resolve);
  await promise;
  clearTimeout(timer);
  response.off("close", resolve);
}
