import { randomBytes } from "node:crypto";
import {
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  type JsonName,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
} from "@peculiar/x509";
import { z } from "zod";
import type { Reading } from "../shared/provider.ts";

export const subjectInputs = z.strictObject({ commonName: z.string().optional(), organization: z.string().optional() });

export const alternativeNameInputs = {
  dnsNames: z.array(z.string()).optional(),
  ipAddresses: z.array(z.union([z.ipv4(), z.ipv6()])).optional(),
};

/** A distinguished name, most general part first (X.501). */
export function distinguishedName(subject: z.infer<typeof subjectInputs> = {}): JsonName {
  const parts = [
    ["O", subject.organization],
    ["CN", subject.commonName],
  ] as const;
  return parts.flatMap(([name, value]) => (value === undefined ? [] : [{ [name]: [value] }]));
}

/** The subject alternative names as an extension (RFC 5280, 4.2.1.6); undefined without names. */
export function alternativeNames(wanted: {
  dnsNames?: string[];
  ipAddresses?: string[];
}): SubjectAlternativeNameExtension[] {
  const names = [
    ...(wanted.dnsNames ?? []).map((value) => ({ type: "dns" as const, value })),
    ...(wanted.ipAddresses ?? []).map((value) => ({ type: "ip" as const, value })),
  ];
  return names.length > 0 ? [new SubjectAlternativeNameExtension(names)] : [];
}

const keyUses = {
  digital_signature: KeyUsageFlags.digitalSignature,
  cert_signing: KeyUsageFlags.keyCertSign,
  crl_signing: KeyUsageFlags.cRLSign,
} as const;

/** Names of certificate uses in the real provider. */
export const allowedUsesInput = z.array(z.enum(["digital_signature", "cert_signing", "crl_signing", "server_auth"]));

/** Key usage (critical) and extended key usage (RFC 5280, 4.2.1.3 and 4.2.1.12). */
export function useExtensions(uses: z.infer<typeof allowedUsesInput>): Extension[] {
  const flags = uses.reduce((sum, use) => (use === "server_auth" ? sum : sum | keyUses[use]), 0);
  return [
    ...(flags === 0 ? [] : [new KeyUsagesExtension(flags, true)]),
    ...(uses.includes("server_auth") ? [new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth])] : []),
  ];
}

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
