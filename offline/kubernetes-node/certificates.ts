import "reflect-metadata";
import type { webcrypto } from "node:crypto";
import { isIP } from "node:net";
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  PemConverter,
  SubjectAlternativeNameExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from "@peculiar/x509";

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const day = 86_400_000;

/** Key and certificate as PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly privateKey: string;
}

/** Owner of a certificate: Kubernetes reads the user from CN and the groups from O (authentication by X509 client certificates). */
export interface Subject {
  readonly name: string;
  readonly group?: string;
  /** Names and addresses of a server. */
  readonly hosts?: readonly string[];
}

const makeKeys = (): Promise<webcrypto.CryptoKeyPair> => crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);

const validity = (): { notBefore: Date; notAfter: Date } => ({
  notBefore: new Date(Date.now() - 60_000),
  notAfter: new Date(Date.now() + 2 * day),
});

const privatePem = async (key: webcrypto.CryptoKey): Promise<string> =>
  PemConverter.encode(await crypto.subtle.exportKey("pkcs8", key), "PRIVATE KEY");

/** The key pair, as PEM, that signs the tokens of service accounts. */
export async function tokenKeys(): Promise<{ readonly privateKey: string; readonly publicKey: string }> {
  const { privateKey, publicKey } = await makeKeys();
  const spki = await crypto.subtle.exportKey("spki", publicKey);
  return { privateKey: await privatePem(privateKey), publicKey: PemConverter.encode(spki, "PUBLIC KEY") };
}

/** The authority of one cluster; its certificates expire after two days. */
export class ClusterAuthority {
  private readonly keys: webcrypto.CryptoKeyPair;
  private readonly own: X509Certificate;
  private serial = 1;

  private constructor(keys: webcrypto.CryptoKeyPair, own: X509Certificate) {
    this.keys = keys;
    this.own = own;
  }

  static async make(): Promise<ClusterAuthority> {
    const keys = await makeKeys();
    const own = await X509CertificateGenerator.createSelfSigned({
      serialNumber: "01",
      name: [{ CN: ["routeql-test-cluster"] }],
      ...validity(),
      signingAlgorithm: algorithm,
      keys,
      extensions: [new BasicConstraintsExtension(true, undefined, true)],
    });
    return new ClusterAuthority(keys, own);
  }

  async pair(): Promise<KeyPair> {
    return { certificate: `${this.own.toString("pem")}\n`, privateKey: await privatePem(this.keys.privateKey) };
  }

  /** A key and a certificate for a client and a server. */
  async issue({ name, group, hosts = [] }: Subject): Promise<KeyPair> {
    const keys = await makeKeys();
    this.serial += 1;
    const names = hosts.map((value) => ({ type: isIP(value) ? ("ip" as const) : ("dns" as const), value }));
    const extensions: Extension[] = [
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.clientAuth, ExtendedKeyUsage.serverAuth]),
    ];
    if (names.length > 0) extensions.push(new SubjectAlternativeNameExtension(names));
    const certificate = await X509CertificateGenerator.create({
      serialNumber: this.serial.toString(16).padStart(4, "0"),
      subject: [...(group === undefined ? [] : [{ O: [group] }]), { CN: [name] }],
      issuer: this.own.subject,
      ...validity(),
      signingKey: this.keys.privateKey,
      publicKey: keys.publicKey,
      signingAlgorithm: algorithm,
      extensions,
    });
    return { certificate: `${certificate.toString("pem")}\n`, privateKey: await privatePem(keys.privateKey) };
  }
}
