import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RouteQL } from "../components/routeql.ts";
import { grouped } from "../settings/groups.ts";
import type { GivenInputs } from "../settings/list.ts";
import { host, issueServer } from "./certificates.ts";
import { recordStack, secretSignature } from "./recorded-stack.ts";
import { hidden } from "./policy-rule.ts";
import type { Inputs, PlannedResource } from "./policy-rule.ts";
import { rules, violationsOf } from "./policies.ts";

const container: Inputs = {
  image: "routeql/engine:0123456789ab",
  user: "10102:10102",
  memory: 128,
  readOnly: true,
  capabilities: { drops: ["ALL"] },
  securityOpts: ["no-new-privileges"],
  envs: ["PORT=8080", "KEY_FILE=/run/routeql/secrets/key"],
};
const inPod: Inputs = {
  name: "engine",
  image: "registry.example.net/routeql/engine:0123456789ab",
  resources: { limits: { memory: "128Mi" } },
  securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] }, readOnlyRootFilesystem: true },
  env: [{ name: "PORT", value: "8080" }],
};
const spec: Inputs = { containers: [inPod], securityContext: { runAsNonRoot: true } };

const docker = (changes: Inputs): PlannedResource => ({
  type: "docker:index/container:Container",
  name: "it",
  inputs: { ...container, ...changes },
});
const deployment = (changes: Inputs, pod: Inputs = {}, type = "kubernetes:apps/v1:Deployment"): PlannedResource => ({
  type,
  name: "it",
  inputs: { spec: { template: { spec: { ...spec, containers: [{ ...inPod, ...changes }], ...pod } } } },
});
const service = (changes: Inputs): PlannedResource => ({
  type: "kubernetes:core/v1:Service",
  name: "it",
  inputs: { spec: changes },
});

test.each([
  docker({}),
  deployment({}),
  deployment({}, {}, "kubernetes:batch/v1:Job"),
  service({ type: "LoadBalancer", ports: [{ port: 443 }] }),
])("a correct resource violates no policy: $type", (resource) => expect(violationsOf(resource)).toEqual([]));

describe.each(rules)("$name", ({ name }) => {
  const wrong: Record<string, [string, PlannedResource, string][]> = {
    "no-public-database-port": [
      [
        "Docker publishes Postgres",
        docker({ ports: [{ internal: 5432, external: 15_432 }] }),
        "publishes the port 5432",
      ],
      [
        "a load balancer in front of Postgres",
        service({ type: "LoadBalancer", ports: [{ port: 15_432, targetPort: 5432 }] }),
        "publishes the port 15432",
      ],
      [
        "a node port of the session store",
        service({ type: "NodePort", ports: [{ port: 6379 }] }),
        "publishes the port 6379",
      ],
      [
        "an external address",
        service({ externalIPs: ["192.0.2.1"], ports: [{ port: 5432 }] }),
        "publishes the port 5432",
      ],
      ["a port of the node", deployment({ ports: [{ containerPort: 5432, hostPort: 5432 }] }), "the node's port 5432"],
    ],
    "no-unpinned-image": [
      ["no tag", docker({ image: "postgres" }), "runs postgres"],
      ["latest", docker({ image: "postgres:latest" }), "runs postgres:latest"],
      ["a registry with a port", deployment({ image: "registry.example.net:5000/engine" }), "names no version"],
      [
        "an init container",
        deployment({}, { initContainers: [{ ...inPod, name: "first", image: "busybox" }] }),
        "the container first runs busybox",
      ],
    ],
    "no-privileged-container": [
      ["privileged", docker({ privileged: true }), "is privileged"],
      ["a capability", docker({ capabilities: { drops: ["ALL"], adds: ["NET_ADMIN"] } }), "NET_ADMIN"],
      ["capabilities kept", docker({ capabilities: {} }), "keeps capabilities"],
      ["no user", docker({ user: undefined }), "runs as root"],
      ["root by number", docker({ user: "0:0" }), "runs as root"],
      ["the host's network", docker({ networkMode: "host" }), "namespace of the host"],
      [
        "Docker's socket",
        docker({ volumes: [{ hostPath: "/var/run/docker.sock", containerPath: "/x" }] }),
        "/var/run/docker.sock",
      ],
      ["no-new-privileges left out", docker({ securityOpts: [] }), "may gain privileges"],
      ["a writable root", docker({ readOnly: false }), "may write"],
      ["a privileged pod", deployment({ securityContext: { privileged: true } }), "is privileged"],
      ["a pod that may run as root", deployment({}, { securityContext: {} }), "may run as root"],
      ["a pod on the host's network", deployment({}, { hostNetwork: true }), "has hostNetwork"],
      ["a path of the node", deployment({}, { volumes: [{ name: "x", hostPath: { path: "/etc" } }] }), "mounts /etc"],
    ],
    "limits-present": [
      ["Docker", docker({ memory: undefined }), "has no limit of memory"],
      [
        "a pod",
        deployment({ resources: { requests: { memory: "1Mi" } } }),
        "the container engine has no limit of memory",
      ],
      [
        "a job of a schedule",
        {
          type: "kubernetes:batch/v1:CronJob",
          name: "it",
          inputs: {
            spec: {
              jobTemplate: { spec: { template: { spec: { ...spec, containers: [{ ...inPod, resources: {} }] } } } },
            },
          },
        },
        "has no limit of memory",
      ],
    ],
    "no-secret-in-environment": [
      ["a password by its name", docker({ envs: ["POSTGRES_PASSWORD=hunter2"] }), "POSTGRES_PASSWORD"],
      ["an address with a password", docker({ envs: ["DATABASE=postgres://u:hunter2@database/x"] }), "DATABASE"],
      ["a Pulumi secret", docker({ envs: ["PORT=8080", hidden] }), "has a secret in its environment"],
      ["all variables together", docker({ envs: hidden }), "has secrets in its environment"],
      [
        "a shared key of tokens",
        docker({ envs: ['HASURA_GRAPHQL_JWT_SECRET={"type":"HS256","key":"hunter2"}'] }),
        "HASURA_GRAPHQL_JWT_SECRET",
      ],
      ["a pod", deployment({ env: [{ name: "API_KEY", value: "hunter2" }] }), "API_KEY"],
      ["a Pulumi secret of a pod", deployment({ env: [{ name: "X", value: hidden }] }), "the secret X"],
      [
        "a ConfigMap",
        { type: "kubernetes:core/v1:ConfigMap", name: "it", inputs: { data: { key: hidden } } },
        "key as plain data",
      ],
    ],
    "no-private-key-in-plain-text": [
      [
        "an upload on Docker",
        docker({ uploads: [{ file: "/a.pem", content: "text\n-----BEGIN EC PRIVATE KEY-----\nhunter2" }] }),
        "has a private key in plain text in uploads.0.content",
      ],
      [
        "a ConfigMap",
        {
          type: "kubernetes:core/v1:ConfigMap",
          name: "it",
          inputs: { data: { "a.pem": "-----BEGIN PRIVATE KEY-----\nhunter2" } },
        },
        "has a private key in plain text in data.a.pem",
      ],
    ],
  };

  test.each(wrong[name] ?? [])("refuses: %s", (_, resource, problem) => {
    const found = violationsOf(resource);
    expect(found.join("\n")).toContain(problem);
    expect(found.every((line) => line.startsWith(`${name}: `))).toBe(true);
    expect(found.join("\n")).not.toContain("hunter2");
  });

  test("has violations to show", () => expect(wrong[name]?.length).toBeGreaterThan(0));
});

test("a variable with only the address of public keys is no secret under any name", () =>
  expect(
    violationsOf(docker({ envs: ['HASURA_GRAPHQL_JWT_SECRET={"jwk_url":"http://auth-sidecar:8080/jwks"}'] })),
  ).toEqual([]));

const folder = mkdtempSync(join(tmpdir(), "routeql-policy-"));
afterAll(() => rmSync(folder, { recursive: true }));
const combined = join(folder, "combined.pem");
beforeAll(async () => {
  const { pem, keyPem } = await issueServer();
  writeFileSync(combined, pem + keyPem);
});
/** As HAProxy and the hooks of ACME clients store them. */
const certificateWithKey = { publicHost: host, tlsCertificateFile: combined, tlsPrivateKeyFile: combined } as const;

const settings: readonly [string, GivenInputs][] = [
  ["the embedded engine on images built here", {}],
  ["Hasura on official images", { engine: "hasura", images: "official" }],
  ["an archive on another disk of the host", { archive: true, archiveDirectory: "/mnt/archive" }],
  ["a stack on Kubernetes", { target: "kubernetes", engine: "hasura" }],
  ["a certificate and its key in one file", { ...certificateWithKey, tlsCaFile: combined }],
  ["a certificate and its key in one file on Kubernetes", { ...certificateWithKey, target: "kubernetes" }],
];

test.each(settings)("the program's resources violate no policy: %s", async (_, args) => {
  const resources = await recordStack(() => void new RouteQL("routeql", grouped(args)));
  const isSecretValue = (value: unknown): boolean =>
    typeof value === "object" && value !== null && secretSignature in value;
  const hide = (value: unknown): unknown => {
    if (isSecretValue(value)) return hidden;
    if (Array.isArray(value)) return value.map(hide);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, hide(item)]));
  };
  const found = resources.flatMap(({ type, name, inputs }) =>
    violationsOf({ type, name, inputs: hide(inputs) as Inputs }),
  );
  expect(found).toEqual([]);
  expect(resources.length).toBeGreaterThan(40);
});

test("SELinux lets the archive use its folder of the host", async () => {
  const given: GivenInputs = { archive: true, archiveDirectory: "/mnt/archive" };
  const resources = await recordStack(() => void new RouteQL("routeql", grouped(given)));
  const mounts = resources.flatMap(
    ({ inputs }) => (inputs["volumes"] ?? []) as readonly { readonly hostPath?: string }[],
  );
  const folders = mounts.filter(({ hostPath }) => hostPath !== undefined);
  expect(folders.length).toBeGreaterThan(0);
  for (const folder of folders) expect(folder).toMatchObject({ hostPath: "/mnt/archive", selinuxRelabel: "z" });
});
