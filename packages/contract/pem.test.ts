import { execFileSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { rootCertificates } from "node:tls";
import { expect, test } from "vitest";
import { certificatesOf, pemOf, pemOfKey, privateKeysOf, textOfPem } from "./pem.ts";

const [one, two] = rootCertificates as [string, string];
const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const key = privateKey.export({ type: "sec1", format: "pem" }) as string;
const both = pemOf(certificatesOf(`${one}\n${two}`));

test.each([
  ["certificates and keys in one file", `${one}\n${key}${two}\n`],
  ["a missing line end between two certificates", `${one}${two}`],
  ["Windows' line ends", `${one}\n${two}\n`.replaceAll("\n", "\r\n")],
  ["old line ends of macOS", `${one}\n${two}\n`.replaceAll("\n", "\r")],
  [String.raw`line ends written as \n`, `${one}\n${two}`.replaceAll("\n", String.raw`\n`)],
  [String.raw`line ends written as \r\n`, `${one}\n${two}`.replaceAll("\n", String.raw`\r\n`)],
  ["blanks instead of line ends", `${one}\n${two}`.replaceAll("\n", " ")],
  ["indented lines", `${one}\n${two}`.replaceAll("\n", "\n    ")],
  ["text around the blocks", `Certificate:\n    Data:\n${one}\nsubject=CN = x\n\n${two}\n# end`],
  ["parameters of a key", `-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n${one}${two}`],
  ["a certificate twice", `${one}\n${two}\n${one}\n`],
  ["OpenSSL's older label", `${one}\n${two}\n`.replaceAll(" CERTIFICATE-", " X509 CERTIFICATE-")],
  ["a byte order mark", textOfPem(Buffer.from(`\uFEFF${one}\n${two}`))],
  ["UTF-16", textOfPem(Buffer.from(`\uFEFF${one}\n${two}`, "utf16le"))],
  ["UTF-16 without a mark", textOfPem(Buffer.from(`${one}\n${two}`, "utf16le"))],
])("reads certificates with %s, and encodes them again", (_, text) => {
  expect(pemOf(certificatesOf(text))).toBe(both);
  expect(both).toMatch(/^(-----BEGIN CERTIFICATE-----\n([A-Za-z0-9+/=]{1,64}\n)+-----END CERTIFICATE-----\n){2}$/);
});

test("reads a trusted certificate of OpenSSL as the certificate alone", () => {
  const trusted = execFileSync("openssl", ["x509", "-trustout", "-addtrust", "serverAuth"], {
    input: one,
    encoding: "utf8",
  });
  expect(trusted).toContain("TRUSTED CERTIFICATE");
  expect(pemOf(certificatesOf(trusted))).toBe(pemOf(certificatesOf(one)));
});

const encrypted = privateKey.export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "x" }) as string;
const older = privateKey.export({ type: "sec1", format: "pem", cipher: "aes-256-cbc", passphrase: "x" }) as string;

test.each([
  ["", "has no block CERTIFICATE. Its"],
  [key, "has no block CERTIFICATE, only EC PRIVATE KEY. Its"],
  ["-----BEGIN PKCS7-----\nAAAA\n-----END PKCS7-----", "Convert it with `openssl pkcs7 -print_certs`"],
  [one.replaceAll("-----", "\u2014----"), "has other dashes than - around BEGIN or END"],
  [`\n\n${one.slice(0, 200)}`, "has a block CERTIFICATE without its end in line 3"],
  [`${one.slice(0, 200)}\n${two}`, "has a block CERTIFICATE without its end in line 1"],
  [one.slice(40), "has the end of a block without its beginning in line "],
  [`${one}\n${two.replace("MII", "M!I")}`, `has a damaged block CERTIFICATE in line ${one.split("\n").length + 1}`],
  [`a\n${one.replace("MII", "AAA")}`, "has a damaged certificate in line 2"],
])("refuses %j with the reason and the line", (text, problem) => {
  expect(() => certificatesOf(text)).toThrow(problem);
});

const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
const pkcs8 = privateKey.export({ type: "pkcs8", format: "pem" }) as string;

test.each([
  ["PKCS #8 as RSA", pkcs8.replaceAll(" PRIVATE", " RSA PRIVATE"), privateKey],
  ["PKCS #8 as EC", pkcs8.replaceAll(" PRIVATE", " EC PRIVATE"), privateKey],
  ["SEC 1 as PKCS #8", key.replaceAll(" EC ", " "), privateKey],
  ["PKCS #1 as PKCS #8", (rsa.export({ type: "pkcs1", format: "pem" }) as string).replaceAll(" RSA ", " "), rsa],
])("reads a key with another label, as OpenSSL and Go: %s", (_, text, expected) => {
  expect(privateKeysOf(text).map(pemOfKey)).toEqual([pemOfKey(expected)]);
});

test.each([
  ["PKCS #8", privateKey.export({ type: "pkcs8", format: "pem" }) as string],
  ["SEC 1 after a certificate", one + key],
  ["Windows' line ends", key.replaceAll("\n", "\r\n")],
])("reads a private key as %s", (_, text) => {
  expect(privateKeysOf(text).map(pemOfKey)).toEqual([privateKey.export({ type: "pkcs8", format: "pem" })]);
});

test.each([
  [one, "has no block PRIVATE KEY, only CERTIFICATE. It must be an unencrypted private key"],
  [one + encrypted, `is encrypted (line ${one.split("\n").length})`],
  [older, "is encrypted (line 1)"],
  ["-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----", "`ssh-keygen -p -m PEM`"],
])("refuses a file without a usable private key, and never quotes it", (text, problem) => {
  expect(() => privateKeysOf(text)).toThrow(problem);
  expect(() => privateKeysOf(text)).not.toThrow(/[A-Za-z0-9+/]{30}/);
});

test("names a binary file and the commands that convert it", () => {
  const binary = execFileSync("openssl", ["x509", "-outform", "DER"], { input: one });
  expect(() => textOfPem(binary)).toThrow(
    "is in binary form (DER, PKCS#7 or PKCS#12), not in PEM form. Convert it with",
  );
});

test("names the base64 of a Secret and the command that decodes it", () => {
  expect(() => textOfPem(Buffer.from(Buffer.from(one).toString("base64")))).toThrow("Decode it with `base64 -d`");
});
