import { type Input, type Output, output, secret } from "@pulumi/pulumi";

export interface GatewayCertificate {
  /** Certificate and chain, PEM. */
  readonly certificate: Output<string>;
  /** A Pulumi secret, PEM. */
  readonly privateKey: Output<string>;
  /** Certificates that clients must trust, PEM: the generated authority, your own, or the self-signed end of your chain; empty if clients trust it already. */
  readonly caCertificate: Output<string>;
}

/** A certificate that the cluster stores; the program does not read it. @param authority of an issuer that clients do not trust */
export const foreignCertificate = (authority: Input<string> = ""): GatewayCertificate => ({
  certificate: output(""),
  privateKey: secret(""),
  caCertificate: output(authority),
});
