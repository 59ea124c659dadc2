import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { AuditTrail } from "./audit/audit-trail.ts";
import type { Database } from "./database/database.ts";
import { Unavailable } from "./errors.ts";
import type { KeyEncryption } from "./keys/key-encryption.ts";
import { reencryptKeys } from "./keys/key-reencryption.ts";
import type { KeyRotation } from "./keys/key-rotation.ts";
import type { Keyring } from "./keys/keyring.ts";

export interface PreparationParts {
  readonly database: Database;
  readonly encryption: KeyEncryption;
  readonly rotation: KeyRotation;
  readonly keyring: Keyring;
  readonly audit: AuditTrail;
  readonly log: Logger;
}

/**
 * Creates the first key, which the service needs to be ready; waits for the database if necessary.
 * @throws permanent errors, such as a key that cannot be decrypted
 */
export async function prepare(parts: PreparationParts, signal: AbortSignal): Promise<void> {
  for (let wait = 250; ; wait = Math.min(wait * 2, 2000)) {
    try {
      await prepareOnce(parts);
      return;
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      parts.log.warn({ err: error.cause ?? error }, "waiting for the database");
      await sleep(wait, undefined, { signal });
    }
  }
}

async function prepareOnce(parts: PreparationParts): Promise<void> {
  const { database, encryption, rotation, keyring, audit, log } = parts;
  const reencrypted = await reencryptKeys(database, encryption);
  if (reencrypted.length > 0) {
    await audit.record({ event: "keys-reencrypted", outcome: "success", detail: { keys: reencrypted.length } });
    log.info({ keys: reencrypted }, "the signing keys are stored under the new KEY_ENCRYPTION_KEY");
  }
  await keyring.refresh();
  if (keyring.published().length === 0) {
    const first = await rotation.createFirst();
    if (first !== undefined)
      await audit.record({ event: "key-created", outcome: "success", detail: { kid: first.id } });
    await keyring.refresh();
  }
}
