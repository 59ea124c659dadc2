import "reflect-metadata";
import { KeyObject, webcrypto } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { X509CertificateGenerator } from "@peculiar/x509";
import { afterAll, beforeAll, expect, test } from "vitest";
import { authorityOf } from "./certificate.ts";

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
let folder = "";
let certificates: readonly string[] = [];

async function makeAuthority(name: string): Promise<string> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const made = await X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    signingAlgorithm: algorithm,
    keys,
  });
  writeFileSync(join(folder, `${name}.key`), KeyObject.from(keys.privateKey).export({ type: "pkcs8", format: "pem" }));
  return made.toString("pem");
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "routeql-directory-"));
  certificates = [await makeAuthority("one"), await makeAuthority("two")];
  writeFileSync(join(folder, "both.pem"), `comment\n${certificates.join("\n")}\n`);
  writeFileSync(join(folder, "broken.pem"), "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
});
afterAll(() => rmSync(folder, { recursive: true }));

test("gives nothing without a file", () => expect(authorityOf("ldapCaFile", undefined)).toBeUndefined());

test("reads every certificate of the file and nothing else", () => {
  expect(authorityOf("ldapCaFile", join(folder, "both.pem"))).toBe(`${certificates.join("\n")}\n`);
});

test.each([
  ["absent.pem", "cannot be read"],
  ["broken.pem", "is not a certificate in PEM form"],
  ["one.key", "is not a certificate in PEM form"],
])("%s is refused by the setting's name", (file, problem) => {
  const path = join(folder, file);
  expect(() => authorityOf("ldapCaFile", path)).toThrow(`ldapCaFile ${problem} (${path})`);
});

test("takes the text itself, and never quotes it", () => {
  expect(authorityOf("ldapCaFile", certificates[0])).toBe(`${certificates[0]}\n`);
  expect(() => authorityOf("ldapCaFile", "-----BEGIN CERTIFICATE-----\nAAAA\n")).toThrow(
    "ldapCaFile is not a certificate in PEM form (argument)",
  );
});
