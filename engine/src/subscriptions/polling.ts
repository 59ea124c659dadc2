import type { Engine, PollAnswer } from "../engine.ts";
import { errorReply, toEngineError } from "../errors.ts";
import type { Cancellation } from "../cancellation.ts";
import type { Limiter } from "./limiter.ts";

/** Settings and resources that the cohorts of one engine share. */
export interface Polling {
  readonly engine: Pick<Engine, "poll" | "release">;
  /** Milliseconds between the end of a poll and the next. */
  readonly interval: number;
  /** Members per statement. */
  readonly batchSize: number;
  /** Bounds the number of concurrent polls, so that queries find a connection; serves the clients in turn. */
  readonly limiter: Limiter;
  readonly onPoll: (seconds: number) => void;
  /** Logs a failed poll. */
  readonly onError: (error: ReturnType<typeof toEngineError>) => void;
}

/** Answers of one batch, in order. If the statement fails as a whole, each member gets that failure. None after cancellation. */
export async function pollBatch(
  polling: Polling,
  cohortKey: string,
  parameters: readonly (readonly unknown[])[],
  options: { readonly signal: Cancellation; readonly client: string | undefined },
): Promise<readonly PollAnswer[]> {
  const start = performance.now();
  try {
    return await polling.engine.poll(cohortKey, parameters, options);
  } catch (thrown) {
    if (options.signal.aborted) return [];
    const error = toEngineError(thrown);
    polling.onError(error);
    const text = errorReply(error);
    return parameters.map(() => ({ text, failed: true, empty: false }));
  } finally {
    polling.onPoll((performance.now() - start) / 1000);
  }
}
