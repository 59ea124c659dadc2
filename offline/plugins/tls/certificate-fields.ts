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

export const subjectInputs = z.strictObject({
  commonName: z.string().optional(),
  organization: z.string().optional(),
  organizationalUnit: z.string().optional(),
  country: z.string().optional(),
  province: z.string().optional(),
  locality: z.string().optional(),
});

export const alternativeNameInputs = {
  dnsNames: z.array(z.string()).optional(),
  ipAddresses: z.array(z.union([z.ipv4(), z.ipv6()])).optional(),
  uris: z.array(z.string()).optional(),
};

/** A distinguished name, most general part first (X.501). */
export function distinguishedName(subject: z.infer<typeof subjectInputs> = {}): JsonName {
  const parts = [
    ["C", subject.country],
    ["ST", subject.province],
    ["L", subject.locality],
    ["O", subject.organization],
    ["OU", subject.organizationalUnit],
    ["CN", subject.commonName],
  ] as const;
  return parts.flatMap(([name, value]) => (value === undefined ? [] : [{ [name]: [value] }]));
}

/** The subject alternative names as an extension (RFC 5280, 4.2.1.6); undefined without names. */
export function alternativeNames(wanted: {
  dnsNames?: string[];
  ipAddresses?: string[];
  uris?: string[];
}): SubjectAlternativeNameExtension[] {
  const names = [
    ...(wanted.dnsNames ?? []).map((value) => ({ type: "dns" as const, value })),
    ...(wanted.ipAddresses ?? []).map((value) => ({ type: "ip" as const, value })),
    ...(wanted.uris ?? []).map((value) => ({ type: "url" as const, value })),
  ];
  return names.length > 0 ? [new SubjectAlternativeNameExtension(names)] : [];
}

const keyUses = {
  digital_signature: KeyUsageFlags.digitalSignature,
  content_commitment: KeyUsageFlags.nonRepudiation,
  key_encipherment: KeyUsageFlags.keyEncipherment,
  data_encipherment: KeyUsageFlags.dataEncipherment,
  key_agreement: KeyUsageFlags.keyAgreement,
  cert_signing: KeyUsageFlags.keyCertSign,
  crl_signing: KeyUsageFlags.cRLSign,
} as const;

const extendedUses = {
  server_auth: ExtendedKeyUsage.serverAuth,
  client_auth: ExtendedKeyUsage.clientAuth,
  code_signing: ExtendedKeyUsage.codeSigning,
  email_protection: ExtendedKeyUsage.emailProtection,
  timestamping: ExtendedKeyUsage.timeStamping,
  ocsp_signing: ExtendedKeyUsage.ocspSigning,
} as const;

type Use = keyof typeof keyUses | keyof typeof extendedUses;

/** Names of certificate uses in the real provider. */
export const allowedUsesInput = z.array(
  z.enum([...Object.keys(keyUses), ...Object.keys(extendedUses)] as [Use, ...Use[]]),
);

/** Key usage (critical) and extended key usage (RFC 5280, 4.2.1.3 and 4.2.1.12). */
export function useExtensions(uses: readonly Use[]): Extension[] {
  let flags: number = 0;
  const extended: string[] = [];
  for (const use of uses) {
    if (use in keyUses) flags |= keyUses[use as keyof typeof keyUses];
    else extended.push(extendedUses[use as keyof typeof extendedUses]);
  }
  return [
    ...(flags === 0 ? [] : [new KeyUsagesExtension(flags, true)]),
    ...(extended.length === 0 ? [] : [new ExtendedKeyUsageExtension(extended)]),
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
