import { X509Certificate } from "node:crypto";
import type { PulumiFn } from "@pulumi/pulumi/automation/index.js";
import { RandomBytes, RandomId, RandomPassword } from "@pulumi/random";
import { CertRequest, LocallySignedCert, PrivateKey, SelfSignedCert } from "@pulumi/tls";
import { expect, test } from "vitest";
import { tinyStack } from "./support/tiny-stack.ts";

function program({ length = 24, keeper = "a", name = "localhost", earlyRenewalHours = 1 } = {}): PulumiFn {
  return async () => {
    const password = new RandomPassword("password", { length, special: false, keepers: { keeper } });
    const bytes = new RandomBytes("bytes", { length: 32 });
    const id = new RandomId("id", { byteLength: 8 });
    const authorityKey = new PrivateKey("authority-key", { algorithm: "ECDSA", ecdsaCurve: "P256" });
    const authority = new SelfSignedCert("authority", {
      privateKeyPem: authorityKey.privateKeyPem,
      isCaCertificate: true,
      setSubjectKeyId: true,
      subject: { commonName: "Authority" },
      allowedUses: ["cert_signing"],
      validityPeriodHours: 1000,
    });
    const key = new PrivateKey("key", { algorithm: "ECDSA", ecdsaCurve: "P256" });
    const request = new CertRequest("request", {
      privateKeyPem: key.privateKeyPem,
      subject: { commonName: name },
      dnsNames: [name],
    });
    const certificate = new LocallySignedCert("certificate", {
      certRequestPem: request.certRequestPem,
      caPrivateKeyPem: authorityKey.privateKeyPem,
      caCertPem: authority.certPem,
      allowedUses: ["server_auth"],
      validityPeriodHours: 100,
      earlyRenewalHours,
    });
    return {
      password: password.result,
      bytes: bytes.base64,
      id: id.hex,
      key: key.privateKeyPem,
      authority: authority.certPem,
      certificate: certificate.certPem,
    };
  };
}

test("keeps generated secrets and certificates over updates, encrypted in the state", async () => {
  await using tiny = await tinyStack();
  const first = await tiny.up(program());
  expect(first.outputs.password).toMatch(/^[A-Za-z0-9]{24}$/);
  expect(Buffer.from(String(first.outputs.bytes), "base64")).toHaveLength(32);
  expect(first.outputs.id).toMatch(/^[0-9a-f]{16}$/);
  const certificate = new X509Certificate(String(first.outputs.certificate));
  expect(certificate.verify(new X509Certificate(String(first.outputs.authority)).publicKey)).toBe(true);
  expect(certificate.checkHost("localhost")).toBe("localhost");

  const state = await tiny.stateText();
  for (const secret of ["password", "bytes"]) expect(state).not.toContain(String(first.outputs[secret]));
  expect(state).not.toContain("PRIVATE KEY");

  const second = await tiny.up(program());
  expect(second.changes).toEqual({ same: 9 });
  expect(second.outputs).toEqual(first.outputs);
});

test("another keeper creates another password, another name another certificate", async () => {
  await using tiny = await tinyStack();
  const before = await tiny.up(program());
  const { outputs } = await tiny.up(program({ keeper: "b", name: "routes.example.net" }));
  expect(outputs.password).not.toBe(before.outputs.password);
  expect(outputs.authority).toBe(before.outputs.authority);
  expect(new X509Certificate(String(outputs.certificate)).checkHost("routes.example.net")).toBe("routes.example.net");
});

test("the next update renews an expiring certificate", async () => {
  await using tiny = await tinyStack();
  const before = await tiny.up(program());
  const due = await tiny.up(program({ earlyRenewalHours: 101 }));
  // This update applies the new limit to the next one.
  expect(due.changes).toEqual({ update: 1, same: 8 });
  const renewed = await tiny.up(program({ earlyRenewalHours: 101 }));
  expect(renewed.changes).toEqual({ replace: 1, same: 8 });
  expect(renewed.outputs.certificate).not.toBe(before.outputs.certificate);
});
