import type { Engine } from "../engine.ts";
import { type Reply, textType } from "./reply.ts";
import type { MetadataKeeper } from "../metadata-store/metadata-keeper.ts";

export interface HealthOptions {
  readonly engine: Pick<Engine, "ping">;
  readonly metadata: Pick<MetadataKeeper, "inconsistencies">;
  readonly isStopping: () => boolean;
  /** Time limit for the database's answer, in milliseconds; default 2,000. */
  readonly timeout?: number;
}

/**
 * Hasura's `/healthz`: `OK`, or `WARN` with inconsistent metadata (an error when `strict`). Unlike Hasura's, it also queries the database,
 * once for all concurrent requests.
 */
export type HealthCheck = (strict: boolean) => Promise<Reply>;

export function createHealthCheck({ engine, metadata, isStopping, timeout = 2_000 }: HealthOptions): HealthCheck {
  let running: Promise<boolean> | undefined;

  function databaseAnswers(): Promise<boolean> {
    running ??= within(engine.ping(), timeout, () => new Error("the database did not answer in time"))
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
    if (!(await databaseAnswers())) return plain(500, "ERROR");
    if (metadata.inconsistencies.length === 0) return plain(200, "OK");
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
