import "reflect-metadata";
import { BasicConstraintsExtension, SubjectKeyIdentifierExtension, X509CertificateGenerator } from "@peculiar/x509";
import { z } from "zod";
import type { ResourceKind } from "../shared/resource-kind.ts";
import { signingKeys } from "./keys.ts";
import { alternativeNameInputs, alternativeNames, distinguishedName, subjectInputs } from "./names.ts";
import { allowedUsesInput, useExtensions } from "./uses.ts";
import { readRenewal, serialNumber, validityFromNow, validityOutputs } from "./validity.ts";

const inputs = z.strictObject({
  privateKeyPem: z.string(),
  subject: subjectInputs.optional(),
  ...alternativeNameInputs,
  allowedUses: allowedUsesInput,
  validityPeriodHours: z.int().min(1),
  earlyRenewalHours: z.int().min(0).optional(),
  isCaCertificate: z.boolean().optional(),
  setSubjectKeyId: z.boolean().optional(),
});

/** SelfSignedCert of the tls provider. */
export const selfSignedCert: ResourceKind<z.infer<typeof inputs>> = {
  inputs,
  updatable: ["earlyRenewalHours"],
  async create(wanted) {
    const { algorithm, ...keys } = await signingKeys(wanted.privateKeyPem);
    const validity = validityFromNow(wanted.validityPeriodHours);
    const serial = serialNumber();
    const certificate = await X509CertificateGenerator.createSelfSigned({
      name: distinguishedName(wanted.subject),
      keys,
      serialNumber: serial,
      ...validity,
      signingAlgorithm: algorithm,
      extensions: [
        new BasicConstraintsExtension(wanted.isCaCertificate ?? false, undefined, true),
        ...useExtensions(wanted.allowedUses),
        ...alternativeNames(wanted),
        ...(wanted.setSubjectKeyId ? [await SubjectKeyIdentifierExtension.create(keys.publicKey)] : []),
      ],
    });
    return {
      id: BigInt(`0x${serial}`).toString(),
      outputs: { certPem: `${certificate.toString("pem")}\n`, keyAlgorithm: "ECDSA", ...validityOutputs(validity) },
    };
  },
  read: async (_id, state) => readRenewal(state),
  update: async () => ({}),
};
