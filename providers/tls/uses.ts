import {
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
} from "@peculiar/x509";
import { z } from "zod";

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
