import { protectFromIssuers } from "@routeql/contract/connection/peer-certificates";
import { inCurrentSpan } from "@routeql/tracing/span";
import { readSessionsUrl } from "@routeql/sidecar-settings/sessions-url";
import { Redis } from "ioredis";
import type { Logger } from "pino";
import { Unavailable } from "../errors.ts";

protectFromIssuers();

/**
 * Milliseconds without an answer after which the connection is closed, so that only the first requests of an outage wait. Valkey itself waits two seconds
 * for a busy disk, and then for its write (https://valkey.io/topics/latency/).
 */
const patience = 5000;

/** A client that fails fast during an outage and reconnects by itself. @param authority PEM, which requires TLS; by default Node's list */
export function connectRedis(url: string, authority: string | undefined, log: Logger): Redis {
  const address = readSessionsUrl(url);
  if (typeof address === "string") throw new TypeError(`The address of the session store ${address}.`);
  const { encrypted, ...place } = address;
  const redis = new Redis({
    ...place,
    ...(authority === undefined ? (encrypted ? { tls: {} } : {}) : { tls: { ca: authority } }),
    connectionName: "auth-sidecar",
    connectTimeout: patience,
    socketTimeout: patience,
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
