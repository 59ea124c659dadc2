import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
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

test("uses the authority in the user's home, if there is a home", () => {
  const none = () => {
    throw Object.assign(new Error("uv_os_homedir returned ENOENT"), { code: "ERR_SYSTEM_ERROR" });
  };
  expect(encryptionConfig({ sslmode: "require" }, undefined, none).ssl).toMatchObject({ rejectUnauthorized: false });
  expect(encryptionConfig({}, undefined, () => join(folder, "none")).ssl).toMatchObject({ rejectUnauthorized: false });
  mkdirSync(join(folder, ".postgresql"));
  writeFileSync(join(folder, ".postgresql/root.crt"), certificate);
  expect(encryptionConfig({}, undefined, () => folder).ssl).toMatchObject({ rejectUnauthorized: true });
});
