import type { Logger } from "pino";
import type { AuditTrail } from "../audit/audit-trail.ts";
import type { KeyRotation } from "./key-rotation.ts";
import type { Keyring } from "./keyring.ts";

export interface CaretakerParts {
  readonly rotation: KeyRotation;
  readonly keyring: Keyring;
  readonly audit: AuditTrail;
  readonly log: Logger;
}

/**
 * What every replica does with the keys at each refresh: retire those whose time has come, rotate when it is due, read them
 * again.
 */
export async function careForKeys({ rotation, keyring, audit, log }: CaretakerParts): Promise<void> {
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
  } catch (error) {
    log.warn({ err: error }, "the keys could not be cared for");
  }
  try {
    await keyring.refresh();
  } catch (error) {
    log.warn({ err: error }, "the keys could not be read again");
  }
}
