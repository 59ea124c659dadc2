import "reflect-metadata";
import { createHash } from "node:crypto";
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  Pkcs10CertificateRequest,
  Pkcs10CertificateRequestGenerator,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from "@peculiar/x509";
import { z } from "zod";
import type { ResourceKind } from "../shared/provider.ts";
import {
  allowedUsesInput,
  alternativeNameInputs,
  alternativeNames,
  distinguishedName,
  readRenewal,
  serialNumber,
  subjectInputs,
  useExtensions,
  validityFromNow,
  validityOutputs,
} from "./certificate-fields.ts";
import { signingKeys } from "./keys.ts";

const selfSignedInputs = z.strictObject({
  privateKeyPem: z.string(),
  subject: subjectInputs.optional(),
  ...alternativeNameInputs,
  allowedUses: allowedUsesInput,
  validityPeriodHours: z.int().min(1),
  earlyRenewalHours: z.int().min(0).optional(),
  isCaCertificate: z.boolean().optional(),
  setSubjectKeyId: z.boolean().optional(),
});

export const selfSignedCert: ResourceKind<z.infer<typeof selfSignedInputs>> = {
  inputs: selfSignedInputs,
  updatable: ["earlyRenewalHours"],
  defaults: { earlyRenewalHours: 0, isCaCertificate: false, setSubjectKeyId: false, setAuthorityKeyId: false },
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

const locallySignedInputs = z.strictObject({
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
export const locallySignedCert: ResourceKind<z.infer<typeof locallySignedInputs>> = {
  inputs: locallySignedInputs,
  updatable: ["earlyRenewalHours"],
  defaults: { earlyRenewalHours: 0, isCaCertificate: false, setSubjectKeyId: false },
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

const requestInputs = z.strictObject({
  privateKeyPem: z.string(),
  subject: subjectInputs.optional(),
  ...alternativeNameInputs,
});

/** CertRequest of the tls provider (PKCS #10). */
export const certRequest: ResourceKind<z.infer<typeof requestInputs>> = {
  inputs: requestInputs,
  async create(wanted) {
    const { algorithm, ...keys } = await signingKeys(wanted.privateKeyPem);
    const request = await Pkcs10CertificateRequestGenerator.create({
      name: distinguishedName(wanted.subject),
      keys,
      signingAlgorithm: algorithm,
      extensions: alternativeNames(wanted),
    });
    return {
      id: createHash("sha1").update(Buffer.from(request.rawData)).digest("hex"),
      outputs: { certRequestPem: `${request.toString("pem")}\n`, keyAlgorithm: "ECDSA" },
    };
  },
};
