import { type JsonName, SubjectAlternativeNameExtension } from "@peculiar/x509";
import { z } from "zod";

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
