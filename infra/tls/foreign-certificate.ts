import { output, secret } from "@pulumi/pulumi";
import type { GatewayCertificate } from "./certificate.ts";

/**
 * A certificate that the cluster makes and keeps, and that the gateway takes from there: nothing of it is known here. Clients trust
 * it as they trust any other, so there is no authority to hand out.
 */
export const foreignCertificate: GatewayCertificate = {
  certificate: output(""),
  privateKey: secret(""),
  caCertificate: output(""),
};
