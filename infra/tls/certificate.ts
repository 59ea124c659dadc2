import type { Output } from "@pulumi/pulumi";

/** What the gateway shows its clients. */
export interface GatewayCertificate {
  /** The gateway's certificate and its chain, PEM. */
  readonly certificate: Output<string>;
  /** A Pulumi secret, PEM. */
  readonly privateKey: Output<string>;
  /** What clients have to trust, PEM: the authority made here, or the end of the own certificate's chain; empty for a certificate from the cluster. */
  readonly caCertificate: Output<string>;
}
