import type { Output } from "@pulumi/pulumi";

/** The gateway's certificate. */
export interface GatewayCertificate {
  /** Certificate and chain, PEM. */
  readonly certificate: Output<string>;
  /** A Pulumi secret, PEM. */
  readonly privateKey: Output<string>;
  /** Certificate that clients must trust, PEM: the generated authority, or the end of your chain; empty for a certificate from the cluster. */
  readonly caCertificate: Output<string>;
}
