import "reflect-metadata";
import { KeyObject, webcrypto } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { BasicConstraintsExtension, SubjectAlternativeNameExtension, X509CertificateGenerator } from "@peculiar/x509";
import { isSecret, output, type Output, secret } from "@pulumi/pulumi";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SettingsError } from "../settings/error.ts";
import { checkedCertificate, ownCertificate } from "./own-certificate.ts";

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const now = new Date("2026-06-01T00:00:00Z");
let folder = "";

async function writePair(name: string, from: string, to: string): Promise<void> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: "CN=routes.example.net",
    notBefore: new Date(from),
    notAfter: new Date(to),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new SubjectAlternativeNameExtension([
        { type: "dns", value: "routes.example.net" },
        { type: "ip", value: "192.0.2.10" },
      ]),
    ],
  });
  writeFileSync(join(folder, `${name}.pem`), certificate.toString("pem"));
  writeFileSync(join(folder, `${name}.key`), KeyObject.from(keys.privateKey).export({ type: "pkcs8", format: "pem" }));
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "routeql-tls-"));
  await writePair("valid", "2026-01-01", "2027-01-01");
  await writePair("other", "2026-01-01", "2027-01-01");
  await writePair("expired", "2025-01-01", "2026-05-31");
  await writePair("early", "2026-07-01", "2027-01-01");
  const day = 86_400_000;
  await writePair("current", new Date(Date.now() - day).toISOString(), new Date(Date.now() + day).toISOString());
  writeFileSync(join(folder, "broken.pem"), "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
});
afterAll(() => rmSync(folder, { recursive: true }));

const take = (certificate: string, privateKey: string, publicHost = "routes.example.net") =>
  checkedCertificate(
    { certificateFile: join(folder, certificate), privateKeyFile: join(folder, privateKey), publicHost },
    now,
  );

function problems(certificate: string, privateKey: string, publicHost?: string): string[] {
  try {
    take(certificate, privateKey, publicHost);
  } catch (error) {
    if (error instanceof SettingsError)
      return error.problems.map(({ name, problem, place }) => `${name} ${problem} (${relative(folder, place)})`);
    throw error;
  }
  return [];
}

test.each(["routes.example.net", "192.0.2.10"])("accepts a valid certificate for %s and its key", (host) => {
  expect(problems("valid.pem", "valid.key", host)).toEqual([]);
});

test("clients must trust the end of the chain", () => {
  const { caCertificate, certificate } = take("valid.pem", "valid.key");
  expect(caCertificate).toBe(certificate.trimEnd() + "\n");
});

test.each([
  ["none.pem", "valid.key", ["tlsCertificateFile cannot be read (ENOENT) (none.pem)"]],
  ["valid.pem", "none.key", ["tlsPrivateKeyFile cannot be read (ENOENT) (none.key)"]],
  [
    "broken.pem",
    "valid.key",
    [
      "tlsCertificateFile has a damaged certificate in line 1: it cannot be read. Copy the whole file again (broken.pem)",
    ],
  ],
  [
    "valid.key",
    "valid.pem",
    [
      "tlsCertificateFile has no block CERTIFICATE, only PRIVATE KEY. Its certificates must be in PEM form (valid.key)",
      "tlsPrivateKeyFile has no block PRIVATE KEY, only CERTIFICATE. It must be an unencrypted private key in PEM form (valid.pem)",
    ],
  ],
  ["valid.pem", "other.key", ["tlsPrivateKeyFile does not belong to the certificate (other.key)"]],
  ["expired.pem", "expired.key", ["tlsCertificateFile expired on 2026-05-31T00:00:00.000Z (expired.pem)"]],
  ["early.pem", "early.key", ["tlsCertificateFile is not valid before 2026-07-01T00:00:00.000Z (early.pem)"]],
])("%s with %s is refused", (certificate, privateKey, found) =>
  expect(problems(certificate, privateKey)).toEqual(found),
);

test("rejects a certificate for another name", () => {
  expect(problems("valid.pem", "valid.key", "elsewhere.example")).toEqual([
    "tlsCertificateFile is not for publicHost, elsewhere.example (valid.pem)",
  ]);
});

/** A certificate signed by an issuer, or by itself. */
async function issue(name: string, issuer?: { readonly name: string; readonly keys: webcrypto.CryptoKeyPair }) {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const certificate = await X509CertificateGenerator.create({
    subject: `CN=${name}`,
    issuer: `CN=${issuer?.name ?? name}`,
    publicKey: keys.publicKey,
    signingKey: (issuer?.keys ?? keys).privateKey,
    signingAlgorithm: algorithm,
    notBefore: new Date("2026-01-01"),
    notAfter: new Date("2027-01-01"),
    extensions: [
      new BasicConstraintsExtension(name !== "routes.example.net", undefined, true),
      new SubjectAlternativeNameExtension([{ type: "dns", value: "routes.example.net" }]),
    ],
  });
  writeFileSync(join(folder, `${name}.key`), KeyObject.from(keys.privateKey).export({ type: "pkcs8", format: "pem" }));
  return { name, keys, pem: `${certificate.toString("pem")}\n` };
}

test("a chain must lead to the company's authority, which clients then trust", async () => {
  const root = await issue("root");
  const intermediate = await issue("intermediate", root);
  const leaf = await issue("routes.example.net", intermediate);
  const other = await issue("other");
  const use = (authority: string | undefined, ...chain: readonly { readonly pem: string }[]) => {
    writeFileSync(join(folder, "chain.pem"), chain.map(({ pem }) => pem).join(""));
    const files = {
      certificateFile: join(folder, "chain.pem"),
      privateKeyFile: join(folder, "routes.example.net.key"),
    };
    return checkedCertificate({ ...files, publicHost: "routes.example.net", authority }, now);
  };
  expect(use(root.pem, leaf, intermediate).caCertificate).toBe(root.pem);
  expect(use(undefined, leaf, intermediate, root).caCertificate).toBe(root.pem);
  const missing = "tlsCertificateFile lacks the intermediate certificate";
  expect(() => use(root.pem, leaf)).toThrow(`${missing} intermediate. Append it`);
  expect(() => use(root.pem, leaf, root)).toThrow(`${missing} intermediate:`);
  expect(() => use(undefined, leaf)).toThrow(`${missing} intermediate. Append it`);
  expect(() => use(other.pem, leaf, intermediate)).toThrow(`${missing} root. Append it`);
});

test("takes the texts of other resources, and only the key stays secret", async () => {
  const [pem, key] = ["pem", "key"].map((ending) => readFileSync(join(folder, `current.${ending}`), "utf8"));
  const made = ownCertificate({
    certificateFile: output(secret(pem!)),
    privateKeyFile: secret(key!),
    publicHost: output("routes.example.net"),
  });
  const value = (of: Output<string>) => new Promise((resolve) => void of.apply(resolve));
  expect(await Promise.all([made.certificate, made.privateKey, made.caCertificate].map(value))).toEqual([
    `${pem!}\n`,
    key,
    `${pem!}\n`,
  ]);
  expect(await Promise.all([isSecret(made.certificate), isSecret(made.privateKey)])).toEqual([false, true]);
});
