import type { X509Certificate } from "node:crypto";

/** Curves of keys that browsers accept in a chain. */
const browserCurves: ReadonlySet<string> = new Set(["prime256v1", "secp384r1", "secp521r1"]);
/** Node 24 crashes when it describes such a key of a server's certificate. Services describe no issuers (protectFromIssuers). */
const crashing = /^brainpool/;
/** Above the length of a named curve: browsers and Go read no others. */
const longestNamedCurve = 200;

export interface KeyKind {
  /** Its curve, else its algorithm, such as `rsa`. */
  readonly name: string;
  /** Whether browsers accept it in a chain, in a sufficient length. */
  readonly inBrowsers: boolean;
  /** Whether a connection of Node ends with a segmentation fault if the key has signed a certificate of the server. */
  readonly crashesNode: boolean;
}

/** The kind of a certificate's key, and clients that cannot use it. */
export function keyKindOf({ publicKey }: X509Certificate): KeyKind {
  const { asymmetricKeyType: type = "", asymmetricKeyDetails: { namedCurve: curve = "" } = {} } = publicKey;
  const isExplicit = type === "ec" && publicKey.export({ type: "spki", format: "der" }).length > longestNamedCurve;
  return {
    name: isExplicit ? "EC with explicit parameters" : curve || type,
    inBrowsers: type === "rsa" || (browserCurves.has(curve) && !isExplicit),
    crashesNode: crashing.test(curve),
  };
}
