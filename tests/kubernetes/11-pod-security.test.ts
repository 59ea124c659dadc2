import { expect, test } from "vitest";
import { ApiClient, defaultConfig } from "@routeql/host/kubernetes/client";
import { Cluster } from "@routeql/host/kubernetes/cluster";
import type { KubernetesObject } from "@routeql/host/kubernetes/objects";
import { node } from "./support/node.ts";
import { namespace } from "./support/stack.ts";

const workloads = ["deployments", "statefulsets", "jobs"];

interface Template {
  readonly spec: {
    readonly template: PodTemplate;
    /** Claim templates of a StatefulSet. */
    readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string } }[];
  };
}

interface PodTemplate {
  readonly metadata: { readonly labels?: object };
  readonly spec: { readonly containers: readonly object[]; readonly volumes?: readonly object[] };
}

async function templates(): Promise<(KubernetesObject & Template)[]> {
  const lists = await Promise.all(
    workloads.map((kind) => node.get<{ items: (KubernetesObject & Template)[] }>(kind, `--namespace=${namespace}`)),
  );
  return lists.flatMap(({ items }) => items);
}

/** Warnings of the API server about a pod template, from a dry run with a Deployment. */
async function warningsOf(name: string, { template, volumeClaimTemplates = [] }: Template["spec"]): Promise<string[]> {
  const warnings: string[] = [];
  const cluster = new Cluster(new ApiClient(defaultConfig(), (text) => warnings.push(text)));
  const labels = { probe: name };
  const { metadata, spec } = template;
  const volumes = [
    ...(spec.volumes ?? []),
    ...volumeClaimTemplates.map((claim) => ({ name: claim.metadata.name, emptyDir: {} })),
  ];
  await cluster.apply(
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: `probe-${name}`, namespace },
      spec: {
        selector: { matchLabels: labels },
        template: {
          metadata: { labels: { ...metadata.labels, ...labels } },
          spec: { ...spec, volumes, restartPolicy: "Always" },
        },
      },
    },
    { dryRun: true },
  );
  return warnings;
}

test("the namespace enforces the restricted standard, warns about and audits violations", async () => {
  const { metadata } = await node.get<KubernetesObject>("namespace", namespace);
  for (const mode of ["enforce", "warn", "audit"])
    expect(metadata.labels).toMatchObject({ [`pod-security.kubernetes.io/${mode}`]: "restricted" });
});

test("no pod template of the stack gets a warning, and one with more rights does", async () => {
  const all = await templates();
  expect(all.length).toBeGreaterThanOrEqual(6);
  for (const { metadata, spec } of all) expect(await warningsOf(metadata.name, spec), metadata.name).toEqual([]);
  const { spec } = all[0]!;
  const containers = spec.template.spec.containers.map((container) => ({
    ...container,
    securityContext: { privileged: true },
  }));
  const warned = await warningsOf("greedy", {
    ...spec,
    template: { metadata: {}, spec: { ...spec.template.spec, containers } },
  });
  expect(warned.join(" ")).toMatch(/would violate PodSecurity "restricted.*privileged/);
});

test("no pod has a token of a service account, a host's namespace or a writable root", async () => {
  for (const { metadata, spec } of await templates()) {
    const pod = spec.template.spec as unknown as Record<string, unknown>;
    expect(pod, metadata.name).toMatchObject({ automountServiceAccountToken: false });
    for (const name of ["hostNetwork", "hostPID", "hostIPC"]) expect(pod[name] ?? false, metadata.name).toBe(false);
    for (const container of spec.template.spec.containers) {
      expect(container, metadata.name).toMatchObject({
        securityContext: {
          readOnlyRootFilesystem: true,
          allowPrivilegeEscalation: false,
          capabilities: { drop: ["ALL"] },
        },
      });
    }
  }
});

test("no object but a Secret, and no event or log, contains a secret", { timeout: 120_000 }, async () => {
  const { items: secrets } = await node.get<{ items: { data?: Record<string, string> }[] }>(
    "secrets",
    `--namespace=${namespace}`,
  );
  const values = secrets
    .flatMap(({ data = {} }) => Object.entries(data))
    .map(([key, value]) => [key, Buffer.from(value, "base64").toString()] as const)
    .filter(([, value]) => value.length >= 16 && !value.startsWith("-----BEGIN CERTIFICATE"));
  expect(values.length).toBeGreaterThan(8);
  const kinds = "pods,deployments,statefulsets,replicasets,jobs,cronjobs,configmaps,services,networkpolicies,events";
  const objects = await node.kubectl(["get", kinds, `--namespace=${namespace}`, "--output=json"]);
  const { items: pods } = JSON.parse(objects) as { items: { kind: string; metadata: { name: string } }[] };
  const logs = await Promise.all(
    pods
      .filter(({ kind }) => kind === "Pod")
      .map(({ metadata }) =>
        node.kubectl(["logs", metadata.name, `--namespace=${namespace}`, "--all-containers", "--ignore-errors"]),
      ),
  );
  const seen = [objects, ...logs].join("\n");
  const spellings = (value: string) => [
    value,
    JSON.stringify(value).slice(1, -1),
    Buffer.from(value).toString("base64"),
  ];
  expect(
    values.filter(([, value]) => spellings(value).some((text) => seen.includes(text))).map(([key]) => key),
  ).toEqual([]);
});
