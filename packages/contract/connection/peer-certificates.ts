import { type PeerCertificate, TLSSocket } from "node:tls";

const name = "getPeerCertificate";
const descriptor = Object.getOwnPropertyDescriptor(TLSSocket.prototype, name)!;
const original = descriptor.value as (this: TLSSocket, detailed: boolean) => PeerCertificate;

/** The certificate of the server without its issuers, whatever the caller asks for. */
function withoutIssuers(this: TLSSocket): PeerCertificate {
  return original.call(this, false);
}

/**
 * For all TLS clients of the process. Node 24 describes the issuers that a verified server sends, only to check the name in the server's own
 * certificate, and ends with a segmentation fault if one has a key on a brainpool curve.
 */
export function protectFromIssuers(): void {
  Object.defineProperty(TLSSocket.prototype, name, { ...descriptor, value: withoutIssuers });
}
