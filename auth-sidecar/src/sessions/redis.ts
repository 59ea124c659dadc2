import { inCurrentSpan } from "@routeql/tracing/span";
import { type Command, Redis } from "ioredis";
import type { Logger } from "pino";
import { Unavailable } from "../errors.ts";

/** Milliseconds between two checks. */
const interval = 100;
/** An answer is overdue after this number of checks, which take less than half a second. */
const looks = 4;

/** Requests sent since the same check. */
interface Awaited {
  count: number;
}

/** Detects overdue answers by counting checks, not by the clock: a pause of the process of any length counts as one check. */
export class Patience {
  readonly #giveUp: () => void;
  /** The newest first. */
  readonly #sinceLook: Awaited[] = [{ count: 0 }];
  #timer: NodeJS.Timeout | undefined;

  /** @param giveUp called when answers are overdue, once for those of the same look */
  constructor(giveUp: () => void) {
    this.#giveUp = giveUp;
  }

  mind(answer: Promise<unknown>): void {
    const awaited = this.#sinceLook[0]!;
    awaited.count++;
    this.#timer ??= setInterval(() => this.#look(), interval).unref();
    const settled = (): void => void awaited.count--;
    answer.then(settled, settled);
  }

  #look(): void {
    this.#sinceLook.unshift({ count: 0 });
    const overdue = this.#sinceLook[looks + 1];
    this.#sinceLook.length = Math.min(this.#sinceLook.length, looks + 1);
    if (overdue !== undefined && overdue.count > 0) this.#giveUp();
    if (this.#sinceLook.some(({ count }) => count > 0)) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** Closes a connection with an overdue answer, so that only the first requests of an outage wait. */
class PatientRedis extends Redis {
  // Requests of an earlier connection ended with it.
  readonly #patience = new Patience(() => this.stream.destroy(new Error("an answer is overdue")));

  override sendCommand(...sent: Parameters<Redis["sendCommand"]>): unknown {
    const answer = super.sendCommand(...sent);
    const [{ promise }] = sent as [Command];
    this.#patience.mind(promise);
    return answer;
  }
}

/** A client that fails fast during an outage and reconnects by itself. @param authority PEM for `rediss://`; by default Node's list */
export function connectRedis(url: string, authority: string | undefined, log: Logger): Redis {
  const redis = new PatientRedis(url, {
    ...(authority === undefined ? {} : { tls: { ca: authority } }),
    connectionName: "auth-sidecar",
    connectTimeout: 500,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    enableAutoPipelining: true,
    keepAlive: 10_000,
    retryStrategy: (attempt) => Math.min(50 * 2 ** Math.min(attempt, 5), 1000),
    reconnectOnError: (error) => error.message.startsWith("READONLY"),
  });
  let last = "";
  redis.on("error", (error: Error) => {
    if (error.message !== last) log.warn({ err: error }, "the session store does not answer");
    last = error.message;
  });
  redis.on("ready", () => {
    last = "";
    log.info("the session store answers");
  });
  return redis;
}

/** Runs one command. @throws {Unavailable} when Redis does not answer or cannot serve */
export async function command<Result>(redis: Redis, run: (redis: Redis) => Promise<Result>): Promise<Result> {
  assertReady(redis);
  try {
    return await run(redis);
  } catch (error) {
    throw new Unavailable("sessions", error);
  }
}

/** @throws {Unavailable} when a command would fail */
export function assertReady(redis: Redis): void {
  if (redis.status !== "ready") throw new Unavailable("sessions", new Error(`connection is ${redis.status}`));
}

/** A Lua script that Redis keeps under its hash. */
export function script(
  redis: Redis,
  name: string,
  lua: string,
): (keys: readonly string[], values: readonly (string | number)[]) => Promise<unknown> {
  redis.defineCommand(name, { lua });
  const scripts = redis as unknown as Record<string, (...values: (string | number)[]) => Promise<unknown>>;
  return (keys, values) =>
    inStoreSpan(name, () => command(redis, () => scripts[name]!.call(redis, keys.length, ...keys, ...values)));
}

/** A call of the session store, without keys and values. */
export function inStoreSpan<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  return inCurrentSpan(name, "client", { "db.system.name": "redis", "db.operation.name": name }, work);
}
