import { output, secret } from "@pulumi/pulumi";
import type { GatewayCertificate } from "./certificate.ts";

/**
 * A certificate that the cluster creates and stores; the program does not read it. Clients already trust its
 * issuer, so there is no authority to hand out.
 */
export const foreignCertificate: GatewayCertificate = {
  certificate: output(""),
  privateKey: secret(""),
  caCertificate: output(""),
};
