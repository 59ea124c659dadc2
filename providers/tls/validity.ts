import { randomBytes } from "node:crypto";
import type { Reading } from "../shared/resource-kind.ts";

const hour = 3_600_000;

/** A serial number of 127 random bits (RFC 5280, 4.1.2.2: positive, at most 20 octets), as hexadecimal. */
export function serialNumber(): string {
  const bytes = randomBytes(16);
  bytes[0] = (bytes[0]! & 0x7f) | 0x40;
  return bytes.toString("hex");
}

export interface Validity {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** Start and end of the validity from now, in whole seconds as X.509 requires. */
export function validityFromNow(hours: number, now = Date.now()): Validity {
  const start = Math.floor(now / 1000) * 1000;
  return { notBefore: new Date(start), notAfter: new Date(start + hours * hour) };
}

export const validityOutputs = ({ notBefore, notAfter }: Validity): Record<string, unknown> => ({
  validityStartTime: notBefore.toISOString(),
  validityEndTime: notAfter.toISOString(),
  readyForRenewal: false,
});

/** On refresh: a certificate requires replacement within `earlyRenewalHours` of its end. */
export function readRenewal(
  state: { validityEndTime?: unknown; earlyRenewalHours?: number },
  now = Date.now(),
): Reading {
  const end = Date.parse(String(state.validityEndTime));
  const ready = now >= end - (state.earlyRenewalHours ?? 0) * hour;
  return ready
    ? {
        outputs: { readyForRenewal: true },
        drift: [`the certificate ends at ${String(state.validityEndTime)}`],
        repair: "replace",
      }
    : {};
}
