import { ComponentResource } from "@pulumi/pulumi";
import { expect, test } from "vitest";
import { find, recordStack, splitSecrets } from "../testing/recorded-stack.ts";
import { selfSigned, subjectNames } from "./self-signed.ts";

const record = (host: string) =>
  recordStack(
    () =>
      void selfSigned(
        host,
        { stack: "local", named: (part) => part },
        new ComponentResource("routeql:test:Parent", "parent"),
      ),
  );

test.each([
  ["localhost", ["localhost"], ["127.0.0.1", "::1"]],
  ["routes.example.net", ["routes.example.net", "localhost"], ["127.0.0.1", "::1"]],
  ["192.0.2.10", ["localhost"], ["192.0.2.10", "127.0.0.1", "::1"]],
  ["::1", ["localhost"], ["::1", "127.0.0.1"]],
])("the certificate of %s is also for this machine's own names", (host, dnsNames, ipAddresses) => {
  expect(subjectNames(host)).toEqual({ dnsNames, ipAddresses });
});

test("the authority may sign and the certificate may serve", async () => {
  const resources = await record("localhost");
  expect(find(resources, "tls:index/selfSignedCert:SelfSignedCert", "authority").inputs).toMatchObject({
    isCaCertificate: true,
    allowedUses: ["cert_signing", "crl_signing"],
  });
  const { inputs } = find(resources, "tls:index/locallySignedCert:LocallySignedCert", "gateway-certificate");
  expect(inputs).toMatchObject({ allowedUses: ["digital_signature", "server_auth"] });
  expect(inputs).not.toHaveProperty("isCaCertificate");
  expect(inputs["validityPeriodHours"]).toBeLessThanOrEqual(366 * 24);
  expect(inputs["earlyRenewalHours"]).toBeLessThan(inputs["validityPeriodHours"] as number);
});

test("creates secret ECDSA P-256 keys for the authority and the gateway", async () => {
  const resources = await record("localhost");
  const keys = resources.filter(({ type }) => type === "tls:index/privateKey:PrivateKey");
  expect(keys.map(({ inputs }) => inputs)).toEqual(
    Array.from({ length: 2 }, () => ({ algorithm: "ECDSA", ecdsaCurve: "P256" })),
  );
  for (const { inputs } of resources) expect(splitSecrets(inputs).open).not.toContain("PRIVATE KEY");
});
