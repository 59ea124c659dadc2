import { once } from "node:events";
import type { Redis } from "ioredis";
import { AuditTrail } from "../audit/audit-trail.ts";
import { Database } from "../database/database.ts";
import { KeyEncryption } from "../keys/key-encryption.ts";
import { KeyRepository } from "../keys/key-repository.ts";
import { KeyRotation } from "../keys/key-rotation.ts";
import { rotationPolicy } from "../keys/rotation-policy.ts";
import { createLogger } from "../logging.ts";
import { connectRedis } from "../sessions/redis.ts";
import { SessionStore } from "../sessions/session-store.ts";
import type { Settings } from "../settings.ts";
import { Accounts } from "./accounts.ts";
import { AdministrationError } from "./administration-error.ts";
import type { Command } from "./command.ts";
import { keysCommand } from "./keys-command.ts";
import { table } from "./table.ts";
import { usersCommand } from "./users-command.ts";

/**
 * Executes a command on the stack of the settings.
 * @returns what to print
 * @throws {AdministrationError} when it cannot be executed
 */
export async function runCommand(command: Command, settings: Settings): Promise<string> {
  // The command's output replaces its log; the audit table records its changes.
  const log = createLogger("silent");
  const database = new Database({ url: settings.DATABASE_URL, poolSize: 2, log });
  const redis = connectRedis(settings.SESSIONS_URL, settings.SESSIONS_CA, log);
  try {
    const audit = new AuditTrail(database, log);
    const result = await resultOf(command, settings, { database, redis, audit });
    if (command.options.json) return JSON.stringify(result, undefined, 2);
    return typeof result === "string" ? result : table(result);
  } finally {
    redis.disconnect();
    await database.close();
  }
}

async function resultOf(
  command: Command,
  settings: Settings,
  parts: { database: Database; redis: Redis; audit: AuditTrail },
): Promise<readonly object[] | string> {
  const { database, redis, audit } = parts;
  if (command.subject === "users") {
    await connected(redis);
    const sessions = new SessionStore(redis, {
      idleSeconds: settings.SESSION_IDLE_SECONDS,
      absoluteSeconds: settings.SESSION_ABSOLUTE_SECONDS,
    });
    return usersCommand(command, new Accounts({ database, sessions, audit }));
  }
  const encryption = new KeyEncryption(settings.KEY_ENCRYPTION_KEY, settings.PREVIOUS_KEY_ENCRYPTION_KEY);
  return keysCommand(command, {
    keys: new KeyRepository(database, encryption),
    rotation: new KeyRotation(database, encryption, rotationPolicy(settings)),
    audit,
  });
}

async function connected(redis: Redis): Promise<void> {
  if (redis.status === "ready") return;
  await once(redis, "ready", { signal: AbortSignal.timeout(5000) }).catch(() => {
    throw new AdministrationError("the session store does not answer");
  });
}
