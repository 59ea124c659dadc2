import type { Redis } from "ioredis";
import type { Database, Statement } from "./database/database.ts";
import type { PartState, Readiness } from "./endpoints/endpoint.ts";
import type { Keyring } from "./keys/keyring.ts";
import { command } from "./sessions/redis.ts";

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

async function state(check: () => unknown): Promise<PartState> {
  const late = Promise.withResolvers<PartState>();
  const timer = setTimeout(() => late.resolve("down"), 900);
  try {
    return await Promise.race([Promise.resolve(check()).then((): PartState => "up"), late.promise]);
  } catch {
    return "down";
  } finally {
    clearTimeout(timer);
  }
}
