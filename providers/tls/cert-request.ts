import "reflect-metadata";
import { createHash } from "node:crypto";
import { Pkcs10CertificateRequestGenerator } from "@peculiar/x509";
import { z } from "zod";
import type { ResourceKind } from "../shared/resource-kind.ts";
import { signingKeys } from "./keys.ts";
import { alternativeNameInputs, alternativeNames, distinguishedName, subjectInputs } from "./names.ts";

const inputs = z.strictObject({
  privateKeyPem: z.string(),
  subject: subjectInputs.optional(),
  ...alternativeNameInputs,
});

/** CertRequest of the tls provider (PKCS #10). */
export const certRequest: ResourceKind<z.infer<typeof inputs>> = {
  inputs,
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
