import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { readConfiguration } from "@routeql/cli/configuration/configuration";
import { renderStack } from "@routeql/infra/rendering/render-stack";
import { definitionModules } from "../kubernetes-node/binaries.ts";
import { node } from "./support/node.ts";
import { stackSettings } from "./support/stack.ts";

const name = "rendered";
const namespace = `routeql-${name}`;

/** Folder of the definitions in each module. */
const folders = {
  "cloudnative-pg": "config/crd/bases",
  "plugin-barman-cloud": "config/crd/bases",
  "cert-manager": "deploy/crds",
  "prometheus-operator": "example/prometheus-operator-crd",
} as const;

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

beforeAll(async () => {
  const silent = (): void => undefined;
  const modules = await definitionModules({ say: silent, onLine: silent, signal: new AbortController().signal });
  for (const [module, folder] of Object.entries(folders)) {
    const path = join(modules.get(module)!, folder);
    const files = (await readdir(path)).filter((file) => file.endsWith(".yaml"));
    // The folders also contain files for the tool that assembles the definitions.
    expect(files.length, module).toBeGreaterThan(0);
    await node.kubectl(["apply", "--server-side", ...files.map((file) => `--filename=${join(path, file)}`)]);
  }
  await node.kubectl(["wait", "crd", "--all", "--for=condition=Established", "--timeout=60s"]);
  await node.kubectl(["create", "namespace", namespace]);
}, 300_000);

afterAll(async () => {
  await node.kubectl(["delete", "namespace", namespace, "--wait=false"]);
  const definitions = (await node.kubectl(["get", "crd", "--output=name"])).trim().split("\n");
  await node.kubectl(["delete", ...definitions]);
});

/** Every manifest of the stack with the suite's settings and these. */
async function manifests(more: Readonly<Record<string, string>>): Promise<Manifest[]> {
  const { given } = await readConfiguration(name, {
    ...stackSettings(node),
    publicHost: "routes.example.net",
    gatewayService: "LoadBalancer",
    ...more,
  });
  const { files } = await renderStack(name, given);
  return [...files]
    .filter(([path]) => /\d\d-.*\.yaml$/.test(path))
    .flatMap(([, text]) => parseAllDocuments(text).map((document) => document.toJS() as Manifest | null))
    .filter((manifest) => manifest !== null);
}

/** Applies them with a server-side dry run, which validates all against the schemas of the API and of the definitions and creates nothing. */
async function check(all: readonly Manifest[]): Promise<void> {
  const list = { apiVersion: "v1", kind: "List", items: all };
  await node.kubectl(
    ["apply", "--server-side", "--dry-run=server", "--validate=strict", "--force-conflicts", "--filename=-"],
    JSON.stringify(list),
  );
}

const kindsOf = (all: readonly Manifest[]): Set<string> =>
  new Set(all.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`));

test(
  "the manifests with a CloudNativePG database match its definitions and the API",
  { timeout: 120_000 },
  async () => {
    const all = await manifests({
      database: "cloudnative-pg",
      backupDestination: "s3://backups/routes",
      backupEndpoint: "https://storage.example.net",
    });
    expect(kindsOf(all)).toContain("postgresql.cnpg.io/v1 Cluster");
    expect(kindsOf(all)).toContain("postgresql.cnpg.io/v1 ScheduledBackup");
    expect(all.some(({ kind, metadata }) => kind === "StatefulSet" && metadata.name === "database")).toBe(false);
    await check(all);
  },
);

test("the API accepts manifests with a certificate by cert-manager", { timeout: 120_000 }, async () => {
  const all = await manifests({ certificateIssuer: "letsencrypt" });
  expect(kindsOf(all)).toContain("cert-manager.io/v1 Certificate");
  await check(all);
});

test("the API accepts the objects of the Prometheus operator", { timeout: 120_000 }, async () => {
  const all = await manifests({ monitoring: "operator", metricsNamespace: "monitoring" });
  expect(kindsOf(all)).toContain("monitoring.coreos.com/v1 PodMonitor");
  expect(kindsOf(all)).toContain("monitoring.coreos.com/v1 PrometheusRule");
  await check(all);
});

/** Every field that the setting takes. */
const exists = [{ key: "disk", operator: "Exists" }];
const podTerm = { topologyKey: "rack", labelSelector: { matchExpressions: exists }, namespaces: ["a"] };
const podAffinity = {
  requiredDuringSchedulingIgnoredDuringExecution: [podTerm],
  preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: podTerm }],
};
const pods = {
  all: {
    labels: { team: "routing" },
    annotations: { "example.net/owner": "routing" },
    nodeSelector: { "kubernetes.io/os": "linux" },
    tolerations: [
      { key: "dedicated", value: "routing", effect: "NoSchedule" },
      { key: "spot", operator: "Exists", effect: "NoExecute", tolerationSeconds: 60 },
    ],
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: exists }] },
        preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: { matchExpressions: exists } }],
      },
      podAffinity,
      podAntiAffinity: podAffinity,
    },
    topologySpreadConstraints: [{ topologyKey: "rack", whenUnsatisfiable: "DoNotSchedule", minDomains: 2 }],
    priorityClassName: "system-cluster-critical",
  },
  engine: { serviceAccountName: "engine", resources: { requests: { cpu: "1" }, limits: { cpu: "none" } } },
};

test("the API and CloudNativePG accept the feed and the settings of pods", { timeout: 120_000 }, async () => {
  const all = await manifests({
    database: "cloudnative-pg",
    feed: "ris-live",
    pods: JSON.stringify(pods),
    ipFamilies: "IPv4",
  });
  expect(all.some(({ kind, metadata }) => kind === "Deployment" && metadata.name === "feed")).toBe(true);
  await check(all);
});

test.each([
  [
    "services outside",
    {
      database: "external",
      databaseUrl: "postgres://root:a-password-of-the-owner@db.example.net:6432/routes",
      sessions: "external",
      sessionsUrl: "rediss://:another-password-of-the-owner@sessions.example.net",
      ldapUrl: "ldaps://ldap.example.net",
      ldapUserBase: "ou=people,dc=example,dc=net",
    },
  ],
  [
    "other name servers, an internal gateway and a closed console",
    {
      nameServers:
        "kube-system/k8s-app=kube-dns,169.254.20.10,openshift-dns/dns.operator.openshift.io/daemonset-dns=default:5353",
      clusterDomain: "cluster.example.net",
      gatewayService: "ClusterIP",
      gatewayAnnotations: "service.beta.kubernetes.io/aws-load-balancer-type=nlb",
      consoleClients: "none",
      engineConsole: "false",
      createNamespace: "false",
    },
  ],
  [
    "autoscalers, storage and a registry",
    {
      gatewayReplicasMost: "6",
      engineReplicasMost: "4",
      sidecarReplicasMost: "3",
      storageClass: "fast",
      databaseStorage: "50Gi",
      imageRegistry: "registry.example.net/kit",
      imagePullSecret: "registry",
      consoleClients: "192.0.2.0/24",
      certificateSecret: "gateway",
    },
  ],
  ["Hasura and its front", { engine: "hasura" }],
] as const)("the API accepts manifests with %s", { timeout: 120_000 }, async (_, settings) => {
  await check(await manifests(settings));
});

test.each([
  ["Cluster", { database: "cloudnative-pg" }],
  ["PodMonitor", { monitoring: "operator" }],
  ["PrometheusRule", { monitoring: "operator" }],
])("the dry run rejects an undefined field of a %s", { timeout: 120_000 }, async (kind, settings) => {
  const wrong = (await manifests(settings))
    .filter((manifest) => manifest.kind === kind)
    .map((manifest) => ({
      ...manifest,
      spec: { ...(manifest as unknown as { spec: object }).spec, undefinedField: 3 },
    }));
  expect(wrong).toHaveLength(1);
  await expect(check(wrong)).rejects.toThrow(/undefinedField/);
});
