import { errorCodes } from "@routeql/contract/error-codes";
import { within } from "@routeql/contract/within";
import type { Redis } from "ioredis";
import type { Database, Statement } from "../database.ts";
import type { Keyring } from "../keys/keyring.ts";
import { command } from "../sessions/redis.ts";
import type { Endpoint, Parts, PartState, Readiness } from "./endpoint.ts";

/** 200 when logins and tokens can be served; otherwise 503 with the failed services. */
export function readiness({ readiness }: Parts): Endpoint {
  return {
    path: "/readyz",
    audience: "inside",
    methods: ["GET"],
    handlers: [
      async (_request, response) => {
        const parts = await readiness.check();
        if (Object.values(parts).every((state) => state === "up")) {
          response.json({ status: "ready", parts });
          return;
        }
        const { status, sentence } = errorCodes.unavailable;
        response.setHeader("Retry-After", "2");
        response.status(status).json({ error: sentence, code: "unavailable", parts });
      },
    ],
  };
}

/** The process runs and answers. It ignores other services, because a restart would not repair them. */
export function liveness(): Endpoint {
  return {
    path: "/livez",
    audience: "inside",
    methods: ["GET"],
    handlers: [
      (_request, response) => {
        response.json({ status: "live" });
      },
    ],
  };
}

const probe: Statement = { name: "probe", text: "select exists (select from auth.users) as found" };

export interface ReadinessParts {
  readonly database: Database;
  readonly redis: Redis;
  readonly keyring: Keyring;
  readonly stopping: () => boolean;
}

export function readinessCheck({ database, redis, keyring, stopping }: ReadinessParts): Readiness {
  return {
    async check() {
      const [databaseState, sessions, keys] = await Promise.all([
        state(() => database.query(probe)),
        state(() => command(redis, (client) => client.ping())),
        state(() => keyring.signingKey()),
      ]);
      return { database: databaseState, sessions, keys, ...(stopping() ? { process: "down" } : {}) };
    },
  };
}

/** Less than the three seconds that the gateway waits, more than the session store waits for a busy disk. */
const patience = 2500;

const state = (check: () => unknown): Promise<PartState> =>
  within(patience, (async () => check())()).then(
    () => "up",
    () => "down",
  );
