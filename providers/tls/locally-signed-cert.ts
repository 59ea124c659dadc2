import "reflect-metadata";
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  Pkcs10CertificateRequest,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from "@peculiar/x509";
import { z } from "zod";
import type { ResourceKind } from "../shared/resource-kind.ts";
import { signingKeys } from "./keys.ts";
import { allowedUsesInput, useExtensions } from "./uses.ts";
import { readRenewal, serialNumber, validityFromNow, validityOutputs } from "./validity.ts";

const inputs = z.strictObject({
  certRequestPem: z.string(),
  caPrivateKeyPem: z.string(),
  caCertPem: z.string(),
  allowedUses: allowedUsesInput,
  validityPeriodHours: z.int().min(1),
  earlyRenewalHours: z.int().min(0).optional(),
  isCaCertificate: z.boolean().optional(),
  setSubjectKeyId: z.boolean().optional(),
});

/** LocallySignedCert of the tls provider: subject, names and public key come from the request; the authority's key id is always set. */
export const locallySignedCert: ResourceKind<z.infer<typeof inputs>> = {
  inputs,
  updatable: ["earlyRenewalHours"],
  async create(wanted) {
    const request = new Pkcs10CertificateRequest(wanted.certRequestPem);
    if (!(await request.verify())) throw new Error("the certificate request is not signed by its own key");
    const authority = new X509Certificate(wanted.caCertPem);
    const { privateKey, algorithm } = await signingKeys(wanted.caPrivateKeyPem);
    const validity = validityFromNow(wanted.validityPeriodHours);
    const serial = serialNumber();
    const names = request.extensions.filter((extension) => extension instanceof SubjectAlternativeNameExtension);
    const authorityKey = authority.getExtension(SubjectKeyIdentifierExtension);
    const certificate = await X509CertificateGenerator.create({
      subject: request.subject,
      issuer: authority.subject,
      publicKey: request.publicKey,
      signingKey: privateKey,
      signingAlgorithm: algorithm,
      serialNumber: serial,
      ...validity,
      extensions: [
        new BasicConstraintsExtension(wanted.isCaCertificate ?? false, undefined, true),
        ...useExtensions(wanted.allowedUses),
        ...names,
        ...(wanted.setSubjectKeyId ? [await SubjectKeyIdentifierExtension.create(request.publicKey)] : []),
        ...(authorityKey ? [new AuthorityKeyIdentifierExtension(authorityKey.keyId)] : []),
      ],
    });
    return {
      id: BigInt(`0x${serial}`).toString(),
      outputs: { certPem: `${certificate.toString("pem")}\n`, caKeyAlgorithm: "ECDSA", ...validityOutputs(validity) },
    };
  },
  read: async (_id, state) => readRenewal(state),
  update: async () => ({}),
};
