import { readFileSync } from "node:fs";
import { contentHash } from "../targets/kubernetes/scope.ts";
import type { Manifest } from "./manifest.ts";
import type { SecretTemplate } from "./secret-templates.ts";

const name = "secrets";
const folder = "/run/routeql";
const script = readFileSync(new URL("compose-secrets.mjs", import.meta.url), "utf8");
const rbac = "rbac.authorization.k8s.io";

interface Pod {
  readonly containers: readonly Readonly<Record<string, unknown>>[];
  readonly [field: string]: unknown;
}

/** Objects that create the stack's Secrets inside the cluster. @param migrate whose image it runs in @param generated names of values */
export function secretsJob(
  migrate: Manifest,
  secrets: Readonly<Record<string, SecretTemplate>>,
  generated: readonly string[],
  apiServerPorts: readonly number[],
): readonly Manifest[] {
  const { namespace, labels: others = {} } = migrate.metadata;
  const labels = { ...others, "app.kubernetes.io/name": name };
  // Without the instance's label: Argo CD would take a Secret with it for an object of the application, and prune it.
  const secretLabels = { "app.kubernetes.io/part-of": "routeql" };
  const data = {
    "compose-secrets.mjs": script,
    "templates.json": JSON.stringify({ labels: secretLabels, generated, secrets }, undefined, 2),
  };
  const named = `${name}-${contentHash(data)}`;
  const metadata = { name, namespace, labels };
  const spec = migrate["spec"] as { template: { metadata: { labels: object }; spec: Pod } };
  const { spec: pod, metadata: podMetadata } = spec.template;
  const container = {
    ...pod.containers[0],
    name,
    args: ["node", `${folder}/compose-secrets.mjs`, `${folder}/templates.json`],
    env: [{ name: "NODE_EXTRA_CA_CERTS", value: "/var/run/secrets/kubernetes.io/serviceaccount/ca.crt" }],
    volumeMounts: [{ mountPath: folder, name: "files", readOnly: true }],
  };
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata },
    {
      apiVersion: `${rbac}/v1`,
      kind: "Role",
      metadata,
      // Only these Secrets: the account stays in the namespace. A server-side apply names the object also when it creates it.
      rules: [
        {
          apiGroups: [""],
          resources: ["secrets"],
          resourceNames: ["generated-secrets", "given-secrets", ...Object.keys(secrets)],
          verbs: ["get", "create", "patch"],
        },
      ],
    },
    {
      apiVersion: `${rbac}/v1`,
      kind: "RoleBinding",
      metadata,
      roleRef: { apiGroup: rbac, kind: "Role", name },
      subjects: [{ kind: "ServiceAccount", name, namespace }],
    },
    {
      apiVersion: "networking.k8s.io/v1",
      kind: "NetworkPolicy",
      metadata,
      spec: {
        // The API server's address is not known here.
        egress: [{ ports: apiServerPorts.map((port) => ({ port, protocol: "TCP" })) }],
        podSelector: { matchLabels: labels },
        policyTypes: ["Ingress", "Egress"],
      },
    },
    { apiVersion: "v1", kind: "ConfigMap", metadata: { ...metadata, name: named }, data, immutable: true },
    {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { ...metadata, name: named },
      spec: {
        ...spec,
        template: {
          metadata: { ...podMetadata, labels: { ...podMetadata.labels, ...labels } },
          spec: {
            ...pod,
            automountServiceAccountToken: true,
            serviceAccountName: name,
            containers: [container],
            volumes: [{ name: "files", configMap: { name: named } }],
          },
        },
      },
    },
  ];
}
