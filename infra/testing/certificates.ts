/** Issues certificates for tests; by default P-256, valid from yesterday for a month, for routes.example.net. */
import "reflect-metadata";
import { KeyObject, webcrypto } from "node:crypto";
import {
  BasicConstraintsExtension,
  type Extension,
  type JsonGeneralName,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from "@peculiar/x509";

const day = 86_400_000;

const algorithms = {
  p256: { name: "ECDSA", namedCurve: "P-256" },
  rsa1024: { name: "RSASSA-PKCS1-v1_5", publicExponent: new Uint8Array([1, 0, 1]), modulusLength: 1024 },
  rsa2048: { name: "RSASSA-PKCS1-v1_5", publicExponent: new Uint8Array([1, 0, 1]), modulusLength: 2048 },
} as const;

export interface IssueOptions {
  /** Absent: self-signed. */
  readonly issuer?: Issued;
  readonly key?: keyof typeof algorithms;
  /** Digest of the signature. */
  readonly hash?: "SHA-1" | "SHA-256" | "SHA-384";
  /** Days from now. */
  readonly from?: number;
  readonly to?: number;
  /** Names of a server; without them the certificate is an authority. */
  readonly names?: readonly (string | JsonGeneralName)[];
  /** The key pair of an earlier certificate, for a renewed or a cross-signed one. */
  readonly keys?: webcrypto.CryptoKeyPair;
  readonly authority?: boolean;
  readonly extensions?: readonly Extension[];
}

export interface Issued {
  readonly name: string;
  readonly keys: webcrypto.CryptoKeyPair;
  readonly algorithm: (typeof algorithms)[keyof typeof algorithms];
  readonly kind: keyof typeof algorithms;
  /** PEM with a line end. */
  readonly pem: string;
  /** PKCS #8. */
  readonly keyPem: string;
}

export const host = "routes.example.net";

const newKeys = (kind: keyof typeof algorithms, hash: string): Promise<webcrypto.CryptoKeyPair> =>
  webcrypto.subtle.generateKey({ ...algorithms[kind], hash } as webcrypto.RsaHashedKeyGenParams, true, [
    "sign",
    "verify",
  ]);

/** The private key of a certificate signs with one digest only in Web Crypto; this is the same key for another one. */
async function signingKey({ keys, algorithm }: Pick<Issued, "keys" | "algorithm">, hash: string) {
  if (algorithm.name === "ECDSA") return keys.privateKey;
  const bytes = await webcrypto.subtle.exportKey("pkcs8", keys.privateKey);
  return webcrypto.subtle.importKey("pkcs8", bytes, { name: algorithm.name, hash }, true, ["sign"]);
}

/** @param name the subject's common name */
export async function issue(name: string, options: IssueOptions = {}): Promise<Issued> {
  const { issuer, key = "p256", hash = "SHA-256", from = -1, to = 30, names = [], extensions = [] } = options;
  const { authority = names.length === 0 } = options;
  const keys = options.keys ?? (await newKeys(key, hash));
  const own = { keys, algorithm: algorithms[key], kind: key };
  const signer = issuer ?? own;
  const made = await X509CertificateGenerator.create({
    serialNumber: Buffer.from(webcrypto.getRandomValues(new Uint8Array(8))).toString("hex"),
    subject: `CN=${name}`,
    issuer: `CN=${issuer?.name ?? name}`,
    publicKey: keys.publicKey,
    signingKey: await signingKey(signer, hash),
    signingAlgorithm: { name: signer.algorithm.name, hash } as webcrypto.EcdsaParams,
    notBefore: new Date(Date.now() + from * day),
    notAfter: new Date(Date.now() + to * day),
    extensions: [
      new BasicConstraintsExtension(authority, undefined, true),
      ...(authority ? [new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true)] : []),
      ...(names.length === 0
        ? []
        : [
            new SubjectAlternativeNameExtension(
              names.map((each) => (typeof each === "string" ? { type: "dns", value: each } : each)),
            ),
          ]),
      ...extensions,
    ],
  });
  const keyPem = KeyObject.from(keys.privateKey).export({ type: "pkcs8", format: "pem" }) as string;
  return { name, ...own, pem: `${made.toString("pem").trim()}\n`, keyPem };
}

/** A certificate for {@link host}. */
export const issueServer = (options: IssueOptions = {}): Promise<Issued> => issue(host, { names: [host], ...options });
