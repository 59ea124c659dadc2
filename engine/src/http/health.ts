import { setTimeout as sleep } from "node:timers/promises";
import type { Executor } from "../executor.ts";
import { type Reply, textType } from "./reply.ts";
import type { MetadataKeeper } from "../metadata-store/metadata-keeper.ts";

export interface HealthOptions {
  readonly executor: Pick<Executor, "ping">;
  /** Absent when the engine behind the executor has a health check of its own. */
  readonly metadata?: Pick<MetadataKeeper, "inconsistencies"> | undefined;
  readonly isStopping: () => boolean;
}

/** Time limit for the executor's answer, in milliseconds. */
const timeout = 2_000;

/** Hasura's `/healthz`: `OK`, or `WARN` with inconsistent metadata (an error when `strict`). Also pings the executor. */
export type HealthCheck = (strict: boolean) => Promise<Reply>;

export function createHealthCheck({ executor, metadata, isStopping }: HealthOptions): HealthCheck {
  let running: Promise<boolean> | undefined;

  function executorAnswers(): Promise<boolean> {
    running ??= Promise.race([executor.ping().then(() => true), sleep(timeout, false, { ref: false })])
      .catch(() => false)
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
