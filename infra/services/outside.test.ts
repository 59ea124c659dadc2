import { expect, test } from "vitest";
import type { GivenSettings } from "../settings/list.ts";
import { containerArgs } from "../targets/docker/container.ts";
import { podTemplate } from "../targets/kubernetes/pod.ts";
import { describeStack } from "../testing/descriptions.ts";
import type { ServiceDescription } from "../description/service.ts";

/** Every kind of external connection. */
const everything: GivenSettings = {
  ldapUrl: "ldaps://ldap.example.net",
  ldapUserBase: "dc=example,dc=net",
  database: "external",
  sessions: "external",
  traceEndpoint: "https://traces.example.net",
  monitoring: "stack",
};
const own: GivenSettings = { extraHosts: "ldap.example.net=192.0.2.7,db.example.net=192.0.2.7" };
const authority = { ownAuthorities: "AUTHORITY", alertWebhook: true };
const describe = (given: GivenSettings): readonly ServiceDescription[] => describeStack(given, "prod", authority);

test.each([
  ["directory, database, session store, traces and alerts", everything],
  ["an object storage", { target: "docker", images: "built", archive: true, backupDestination: "s3://bucket/folder" }],
])("exactly the services that call others get own names and authorities: %s", (_, given) => {
  const services = describe({ ...given, ...own });
  const outward = services.filter(({ callsOutside = [] }) => callsOutside.length > 0).map(({ name }) => name);
  const withNames = services.filter(({ hosts }) => hosts !== undefined).map(({ name }) => name);
  const withAuthority = services.filter(({ files }) => "authorities/own.pem" in files).map(({ name }) => name);
  expect(outward.length).toBeGreaterThan(0);
  expect([withNames, withAuthority]).toEqual([outward, outward]);
});

test("programs of Node, Go and OpenSSL add the authorities to the public ones", () => {
  for (const { name, callsOutside, environment } of describe({ ...everything, ...own })) {
    const path = callsOutside === undefined ? undefined : "/run/routeql/authorities/own.pem";
    expect([name, environment["NODE_EXTRA_CA_CERTS"], environment["SSL_CERT_FILE"]]).toEqual([name, path, path]);
  }
});

test("a container and a pod have the names in their hosts file", () => {
  const service = describe({ ...everything, ...own }).find(({ name }) => name === "auth-sidecar")!;
  const parts = { image: "image", scope: { prefix: "routeql-prod", stack: "prod", namespace: "n", instance: "i" } };
  const container = containerArgs(service, {
    ...parts,
    attachments: () => [],
    hostAddress: "127.0.0.1",
    processorLimit: 4,
  } as never);
  expect(container.hosts).toEqual([
    { host: "ldap.example.net", ip: "192.0.2.7" },
    { host: "db.example.net", ip: "192.0.2.7" },
  ]);
  const pod = podTemplate(service, { ...parts, files: [], pod: { labels: {} } } as never) as {
    spec: { hostAliases: unknown };
  };
  expect(pod.spec.hostAliases).toEqual([{ ip: "192.0.2.7", hostnames: ["ldap.example.net", "db.example.net"] }]);
});
