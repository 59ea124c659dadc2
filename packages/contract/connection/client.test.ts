import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rootCertificates } from "node:tls";
import { afterEach, beforeEach, expect, test } from "vitest";
import { certificatesOf, pemOf } from "../pem.ts";
import { encryptionConfig } from "./client.ts";

const [certificate = ""] = rootCertificates;

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "routeql-authority-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const configFor = (content: string) => {
  const sslrootcert = join(folder, "root.crt");
  writeFileSync(sslrootcert, content);
  return encryptionConfig({ sslmode: "verify-full", sslrootcert });
};

test("takes only the certificates from the file of sslrootcert, without marks of an editor", () => {
  const ca = pemOf(certificatesOf(certificate));
  expect(configFor(`\uFEFF${certificate.replaceAll("\n", "\r\n")}`).ssl).toMatchObject({ ca });
});

test("refuses a file of sslrootcert without a certificate, as libpq does", () => {
  expect(() => configFor("none\n")).toThrow("the file of sslrootcert has no block CERTIFICATE");
});
