import type { Executor } from "../executor.ts";
import { type Reply, textType } from "./reply.ts";
import type { MetadataKeeper } from "../metadata-store/metadata-keeper.ts";

export interface HealthOptions {
  readonly executor: Pick<Executor, "ping">;
  /** Absent when the engine behind the executor has a health check of its own. */
  readonly metadata?: Pick<MetadataKeeper, "inconsistencies"> | undefined;
  readonly isStopping: () => boolean;
  /** Time limit for the executor's answer, in milliseconds; default 2,000. */
  readonly timeout?: number;
}

/**
 * Hasura's `/healthz`: `OK`, or `WARN` with inconsistent metadata (an error when `strict`). Unlike Hasura's, it also pings the executor,
 * once for all concurrent requests.
 */
export type HealthCheck = (strict: boolean) => Promise<Reply>;

export function createHealthCheck({ executor, metadata, isStopping, timeout = 2_000 }: HealthOptions): HealthCheck {
  let running: Promise<boolean> | undefined;

  function executorAnswers(): Promise<boolean> {
    running ??= within(executor.ping(), timeout, () => new Error("the executor did not answer in time"))
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        running = undefined;
      });
    return running;
  }

  return async (strict) => {
    if (isStopping()) return plain(503, "ERROR: shutting down");
    if (!(await executorAnswers())) return plain(500, "ERROR");
    if (metadata === undefined || metadata.inconsistencies.length === 0) return plain(200, "OK");
    return strict
      ? plain(500, "ERROR: inconsistent objects in schema")
      : plain(200, "WARN: inconsistent objects in schema");
  };
}

function plain(status: number, text: string): Reply {
  return { status, text, contentType: textType, headers: { "cache-control": "no-store" } };
}

/** The result of the work, or, after `milliseconds`, a rejection with the error of `late`. 0 = no limit. */
function within<Result>(work: Promise<Result>, milliseconds: number, late: () => Error): Promise<Result> {
  if (milliseconds === 0) return work;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), milliseconds);
    const settle =
      <Value>(end: (value: Value) => void) =>
      (value: Value): void => {
        clearTimeout(timer);
        end(value);
      };
    work.then(settle(resolve), settle(reject));
  });
}
