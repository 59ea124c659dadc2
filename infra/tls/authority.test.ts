import "reflect-metadata";
import { execFile } from "node:child_process";
import { KeyObject, webcrypto } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { X509CertificateGenerator } from "@peculiar/x509";
import { log } from "@pulumi/pulumi";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { RouteQL } from "../components/routeql.ts";
import { grouped } from "../settings/groups.ts";
import { type GivenSettings, settingNames, settings } from "../settings/list.ts";
import { issue, issueServer } from "../testing/certificates.ts";
import { recordStack } from "../testing/recorded-stack.ts";
import { certificatesOf, pemOf } from "@routeql/contract/pem";
import { authorityIn, authorityOf } from "./authority.ts";

const run = promisify(execFile);
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
  expect(authorityOf("ldapCaFile", join(folder, "both.pem"))).toBe(pemOf(certificatesOf(certificates.join(""))));
});

test.each([
  ["absent.pem", "cannot be read (ENOENT)"],
  ["broken.pem", "has a damaged certificate in line 1: it cannot be read. Copy the whole file again"],
  ["one.key", "has no block CERTIFICATE, only PRIVATE KEY. Its certificates must be in PEM form"],
])("%s is refused by the setting's name", (file, problem) => {
  const path = join(folder, file);
  expect(() => authorityOf("ldapCaFile", path)).toThrow(`ldapCaFile ${problem} (${path})`);
});

test("takes the text itself, and never quotes it", () => {
  expect(authorityOf("ldapCaFile", certificates[0])).toBe(pemOf(certificatesOf(certificates[0]!)));
  expect(() => authorityOf("ldapCaFile", "-----BEGIN CERTIFICATE-----\nAAAA\n")).toThrow(
    "ldapCaFile has a block CERTIFICATE without its end in line 1. Copy the whole file again (argument)",
  );
});

test("refuses a file without a root, and names the authority that is missing", async () => {
  const root = await issue("Root");
  const mid = await issue("Intermediate", { issuer: root });
  const leaf = await issueServer({ issuer: mid });
  for (const given of [mid.pem, leaf.pem + mid.pem, mid.pem + leaf.pem])
    expect(() => authorityIn("ldapCaFile", given)).toThrow(/: Intermediate was issued by Root\. Add the certificate/);
  expect(() => authorityIn("authoritiesFile", mid.pem)).toThrow("has no root certificate");
  const ended = await issue("Root", { keys: root.keys, from: -9, to: -2 });
  expect(() => authorityIn("databaseCaFile", mid.pem + ended.pem)).toThrow("has no root certificate");
  expect(authorityIn("ldapCaFile", mid.pem + root.pem)).toBe(mid.pem + root.pem);
});

test("refuses a file of ended certificates, and keeps former ones beside a current one", async () => {
  const [former, current] = [await issue("Former", { from: -9, to: -2 }), await issue("Current")];
  expect(() => authorityOf("ldapCaFile", former.pem)).toThrow(
    /ldapCaFile has no valid certificate: Former ended on .*Z. Add the current one of the authority/,
  );
  expect(authorityOf("ldapCaFile", former.pem + current.pem)).toBe(former.pem + current.pem);
});

/** Every setting for a PEM file, with the settings without which it is refused for another reason. */
const own: GivenSettings = { engine: "embedded", target: "docker" };
const readers: Readonly<Record<string, GivenSettings>> = {
  tlsCertificateFile: { tlsPrivateKeyFile: "-----BEGIN " },
  tlsPrivateKeyFile: { tlsCertificateFile: "-----BEGIN " },
  tlsCaFile: {},
  authoritiesFile: {},
  ldapCaFile: { ldapUrl: "ldaps://ldap.example.net", ldapUserBase: "dc=example" },
  databaseCaFile: { database: "external", databaseUrl: "postgres://root:a-long-password@db.example.net/records" },
  sessionsCaFile: { sessions: "external", sessionsUrl: "rediss://:a-long-password@sessions.example.net" },
  backupCaFile: {
    archive: true,
    images: "built",
    backupDestination: "s3://bucket/folder",
    backupAccessKeyId: "an-access-key-id",
    backupSecretAccessKey: "a-secret-access-key",
  },
};

describe("an authority whose key crashes clients of Node", () => {
  let pem = "";
  beforeAll(async () => {
    const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:brainpoolP256r1", "-subj", "/CN=Example Root"];
    const made = await run("openssl", ["req", "-x509", "-nodes", ...curve, "-keyout", join(folder, "brainpool.key")]);
    pem = pemOf(certificatesOf(made.stdout));
  });
  afterEach(() => vi.restoreAllMocks());

  test("is refused without another valid one in the file", async () => {
    const ended = await issue("Former", { from: -9, to: -2 });
    for (const given of [pem, pem + ended.pem])
      expect(() => authorityOf("ldapCaFile", given)).toThrow(
        "ldapCaFile has the authority Example Root with a key of the kind brainpoolP256r1, with which connections of Node crash",
      );
  });

  test("is left out beside a valid one, with a warning of the program", () => {
    const warn = vi.spyOn(log, "warn").mockResolvedValue();
    const valid = pemOf(certificatesOf(certificates[0]!));
    expect(authorityIn("ldapCaFile", pem + valid)).toBe(valid);
    expect(warn).not.toHaveBeenCalled();
    expect(authorityOf("ldapCaFile", pem + valid)).toBe(valid);
    expect(warn.mock.calls).toEqual([
      [
        expect.stringMatching(
          /^ldapCaFile: the authority Example Root .* brainpoolP256r1, .* Its servers are not trusted/,
        ),
      ],
    ]);
  });

  test("stays for the storage, to which no client of Node connects", () => {
    expect(authorityOf("backupCaFile", pem)).toBe(pem);
  });
});

test("every setting for a certificate or key file has the one reader", async () => {
  const files = settingNames.filter((name) => settings[name].type === "file" && !("structural" in settings[name]));
  expect(files.toSorted()).toEqual(Object.keys(readers).toSorted());
  for (const [name, others] of Object.entries(readers)) {
    const args = grouped({ ...own, ...others, [name]: "-----BEGIN CERTIFICATE-----" });
    const made = recordStack(() => void new RouteQL("routeql", args), { stack: "dev" });
    await expect(made, name).rejects.toThrow(new RegExp(`${name} has a block CERTIFICATE without its end in line 1`));
  }
});
