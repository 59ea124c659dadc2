import { X509Certificate } from "node:crypto";
import { expect, test } from "vitest";
import type { Context } from "../shared/provider.ts";
import { certRequest, locallySignedCert, selfSignedCert } from "./certificates.ts";
import { privateKey } from "./keys.ts";

const context: Context = { urn: "", signal: new AbortController().signal };
const makeKey = async (): Promise<string> =>
  String((await privateKey.create({ algorithm: "ECDSA", ecdsaCurve: "P256" }, context)).outputs.privateKeyPem);

async function authority(): Promise<{ key: string; certificate: string }> {
  const key = await makeKey();
  const { outputs } = await selfSignedCert.create(
    {
      privateKeyPem: key,
      subject: { commonName: "Test authority", organization: "Example" },
      isCaCertificate: true,
      setSubjectKeyId: true,
      allowedUses: ["cert_signing", "crl_signing"],
      validityPeriodHours: 48,
    },
    context,
  );
  return { key, certificate: String(outputs.certPem) };
}

test("a locally signed certificate is signed by its authority and has the request's names", async () => {
  const { key, certificate } = await authority();
  const request = await certRequest.create(
    {
      privateKeyPem: await makeKey(),
      subject: { commonName: "localhost" },
      dnsNames: ["localhost"],
      ipAddresses: ["127.0.0.1", "::1"],
    },
    context,
  );
  const signed = await locallySignedCert.create(
    {
      certRequestPem: String(request.outputs.certRequestPem),
      caPrivateKeyPem: key,
      caCertPem: certificate,
      allowedUses: ["digital_signature", "server_auth"],
      validityPeriodHours: 24,
      setSubjectKeyId: true,
    },
    context,
  );
  const leaf = new X509Certificate(String(signed.outputs.certPem));
  const root = new X509Certificate(certificate);
  expect(root.ca).toBe(true);
  expect(leaf.ca).toBe(false);
  expect(leaf.checkIssued(root)).toBe(true);
  expect(leaf.verify(root.publicKey)).toBe(true);
  expect(leaf.subjectAltName).toBe("DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1");
  expect(leaf.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1"]);
  expect(Date.parse(leaf.validTo)).toBe(Date.parse(String(signed.outputs.validityEndTime)));
  expect(BigInt(`0x${leaf.serialNumber}`).toString()).toBe(signed.id);
});

test("a certificate requires replacement from its early renewal on, not before", async () => {
  const state = { validityEndTime: new Date(Date.now() + 10 * 3_600_000).toISOString() };
  const read = (earlyRenewalHours: number): unknown =>
    locallySignedCert.read?.("1", { ...state, earlyRenewalHours } as never, context);
  expect(await read(9)).toEqual({});
  expect(await read(11)).toMatchObject({ outputs: { readyForRenewal: true }, repair: "replace" });
});

test("a key's private forms are its only secret outputs", async () => {
  const { outputs } = await privateKey.create({ algorithm: "ECDSA", ecdsaCurve: "P256" }, context);
  expect(privateKey.secretOutputs).toEqual(["privateKeyPem", "privateKeyPemPkcs8"]);
  expect(outputs.privateKeyPem).toMatch(/^-----BEGIN EC PRIVATE KEY-----\n/);
  expect(outputs.publicKeyPem).toMatch(/^-----BEGIN PUBLIC KEY-----\n/);
});
