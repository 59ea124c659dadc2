import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { AuditTrail } from "../audit/audit-trail.ts";
import type { Database } from "../database.ts";
import { Unavailable } from "../errors.ts";
import { KeyDecryptionError, type KeyEncryption, reencryptKeys } from "./key-encryption.ts";
import type { Revocations } from "../revocations.ts";
import type { KeyRotation } from "./key-rotation.ts";
import type { Keyring } from "./keyring.ts";

export interface KeyCareParts {
  readonly database: Database;
  readonly encryption: KeyEncryption;
  readonly rotation: KeyRotation;
  readonly keyring: Keyring;
  readonly revocations: Revocations;
  readonly audit: AuditTrail;
  readonly log: Logger;
  /** Called after each refresh in which nothing failed. */
  readonly onSuccess?: () => void;
}

/** Withdraws keys that do not open and creates the first key; waits for the database. @throws errors that no wait can solve */
export async function prepare(parts: KeyCareParts, signal: AbortSignal): Promise<void> {
  for (let wait = 250; ; wait = Math.min(wait * 2, 2000)) {
    try {
      await prepareOnce(parts);
      return;
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      parts.keyring.waitsFor(error.reason);
      parts.log.warn({ err: error.cause ?? error }, "waiting for the database");
      await sleep(wait, undefined, { signal });
    }
  }
}

async function prepareOnce(parts: KeyCareParts): Promise<void> {
  const { database, encryption, keyring, revocations, audit, log } = parts;
  const reencrypted = await reencryptKeys(database, encryption);
  if (reencrypted.length > 0) {
    await audit.record({ event: "keys-reencrypted", outcome: "success", detail: { keys: reencrypted.length } });
    log.info({ keys: reencrypted }, "the signing keys are stored under the new KEY_ENCRYPTION_KEY");
  }
  // Before the keys, because they are published together.
  await revocations.refresh();
  await keyring.refresh();
  await withdrawClosed(parts);
  await ensureKey(parts);
}

/** A closed key comes from other secrets, such as a restored backup's, or this replica's are wrong. @throws {KeyDecryptionError} */
async function withdrawClosed({ rotation, keyring, audit, log }: KeyCareParts): Promise<void> {
  const [closed] = keyring.closed();
  if (closed === undefined) return;
  if (await rotation.hasOtherReplicas()) throw new KeyDecryptionError(closed);
  const withdrawn = await rotation.retireUnopened();
  for (const kid of withdrawn) await audit.record({ event: "key-retired", outcome: "success", detail: { kid } });
  log.warn(
    { keys: withdrawn },
    "keys that do not open with this KEY_ENCRYPTION_KEY are withdrawn; their tokens are invalid",
  );
  await keyring.refresh();
}

/** Creates a key when there is none, as at the first start and after a restore. */
async function ensureKey({ rotation, keyring, audit }: KeyCareParts): Promise<void> {
  if (keyring.published().length > 0) return;
  const first = await rotation.createFirst();
  if (first !== undefined) await audit.record({ event: "key-created", outcome: "success", detail: { kid: first.id } });
  await keyring.refresh();
}

/**
 * Key work of every replica at each refresh: retire old keys, rotate when it is due, re-encrypt keys
 * that a replica with the previous KEY_ENCRYPTION_KEY stored meanwhile, and read all keys again.
 *
 * A refresh is skipped while the previous one waits for a slow database: it would take connections that logins
 * need, and could replace a newer key set by an older one. So is a refresh during the preparation.
 * @param prepared settles when {@link prepare} has ended
 * @returns a function that stops it
 */
export function startKeyCare(parts: KeyCareParts, milliseconds: number, prepared: Promise<void>): () => void {
  let caring = true;
  prepared.then(
    () => (caring = false),
    () => undefined,
  );
  const timer = setInterval(() => {
    if (caring) return;
    caring = true;
    void careForKeys(parts).finally(() => {
      caring = false;
    });
  }, milliseconds);
  return () => clearInterval(timer);
}

async function careForKeys(parts: KeyCareParts): Promise<void> {
  const { database, encryption, rotation, keyring, revocations, audit, log, onSuccess } = parts;
  let failed = false;
  try {
    for (const kid of await rotation.retireExpired())
      await audit.record({ event: "key-retired", outcome: "success", detail: { kid } });
    const rotated = await rotation.rotateIfDue();
    if (rotated !== undefined) {
      await audit.record({
        event: "key-rotated",
        outcome: "success",
        detail: { kid: rotated.id, signsFrom: rotated.signsFrom.toISOString() },
      });
    }
    const reencrypted = await reencryptKeys(database, encryption);
    if (reencrypted.length > 0)
      await audit.record({ event: "keys-reencrypted", outcome: "success", detail: { keys: reencrypted.length } });
  } catch (error) {
    failed = true;
    log.warn({ err: error }, "the key maintenance failed");
  }
  try {
    await revocations.refresh();
    await keyring.refresh();
    await ensureKey(parts);
    const closed = keyring.closed();
    if (closed.length > 0)
      log.error({ keys: closed }, "keys do not open with this KEY_ENCRYPTION_KEY; they are published alone");
  } catch (error) {
    failed = true;
    log.warn({ err: error }, "the keys and revocations could not be read again");
  }
  if (!failed) onSuccess?.();
}
