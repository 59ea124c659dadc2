import { ComponentResource, output } from "@pulumi/pulumi";
import { beforeAll, expect, test } from "vitest";
import type { ServiceDescription } from "../../description/service.ts";
import type { Secrets } from "../../description/secrets.ts";
import { describeTestService, testImage, testSecrets } from "../../testing/descriptions.ts";
import { changed, find, type RecordedResource, recordStack, unwrap } from "../../testing/recorded-stack.ts";
import { podsOf } from "../../settings/values/pods.ts";
import { runOnKubernetes } from "./run.ts";
import type { KubernetesRun } from "./kubernetes-run.ts";

const types = {
  namespace: "kubernetes:core/v1:Namespace",
  secret: "kubernetes:core/v1:Secret",
  configMap: "kubernetes:core/v1:ConfigMap",
  service: "kubernetes:core/v1:Service",
  deployment: "kubernetes:apps/v1:Deployment",
  statefulSet: "kubernetes:apps/v1:StatefulSet",
  job: "kubernetes:batch/v1:Job",
  policy: "kubernetes:networking.k8s.io/v1:NetworkPolicy",
  budget: "kubernetes:policy/v1:PodDisruptionBudget",
  autoscaler: "kubernetes:autoscaling/v2:HorizontalPodAutoscaler",
} as const;

const database = describeTestService({
  name: "database",
  image: "database",
  user: 10_105,
  data: "/var/lib/data",
  dataVariable: "PGDATA",
  environment: { PGDATA: "/var/lib/data" },
  secrets: { PASSWORD_FILE: "bootstrap-password" },
  listens: [{ name: "postgres", port: 5432 }],
  health: { kind: "command", command: ["pg_isready"] },
});
const migrate = describeTestService({
  name: "migrate",
  image: "database-tools",
  run: "job",
  health: undefined,
  calls: ["database"],
  after: ["database"],
  secrets: { PASSWORD_FILE: "owner-password" },
});
const engine = describeTestService({
  calls: ["database"],
  after: ["migrate"],
  command: ["node", "main.ts"],
  environment: { PORT: "8080" },
  secrets: { KEY_FILE: "engine-access-key" },
  files: { "metadata/version.yaml": "version: 3\n", "metadata/tables/a.yaml": "a\n" },
  temporary: { "/tmp": 16 },
  listens: [{ name: "http", port: 8080 }],
  metricsPort: 9090,
  health: { kind: "http", port: 8080, path: "/healthz?strict=true" },
  alive: { kind: "http", port: 8080, path: "/v1/version" },
  drainSeconds: 5,
});
const gateway = describeTestService({
  name: "gateway",
  image: "gateway",
  calls: ["engine"],
  after: ["engine"],
  ports: [{ internal: 8443, published: 443 }],
  drainSeconds: 15,
  drainFile: "/tmp/draining",
  files: { "tls/certificate.pem": output("CERTIFICATE"), "tls/private-key.pem": { secret: "tls-private-key" } },
});
const everything = [database, migrate, engine, gateway];

const usual: Omit<KubernetesRun, "services" | "secrets" | "images"> = {
  scope: {
    namespace: "routes",
    instance: "routeql-prod",
    clusterDomain: "cluster.local",
    ipFamilies: {},
    contentNames: false,
    named: (part) => part,
  },
  createNamespace: true,
  replicas: { engine: { least: 2, most: 4 }, gateway: { least: 2, most: 2 } },
  storage: { database: { size: "20Gi" } },
  publication: { type: "LoadBalancer", annotations: {} },
  outside: {},
  nameServers: [],
  pods: podsOf(undefined),
  protectData: false,
};

function run(
  services: readonly ServiceDescription[] = everything,
  changes: Partial<KubernetesRun> = {},
  secrets: Secrets = testSecrets(),
): Promise<RecordedResource[]> {
  const built = (["database", "database-tools", "engine", "gateway"] as const).map((name) => testImage(name));
  return recordStack(() => {
    const parent = new ComponentResource("routeql:test:Parent", "parent");
    runOnKubernetes({ ...usual, services, secrets, images: { built, pulled: [], push: false }, ...changes }, parent);
  });
}

let whole: RecordedResource[] = [];
beforeAll(async () => {
  whole = await run();
});

type Plain = Readonly<Record<string, unknown>>;
interface Pod {
  metadata: { labels: Plain };
  spec: { containers: [Plain & { env: { name: string; value: string }[] }]; volumes: Plain[] } & Plain;
}
const inputs = (type: string, name: string, among = whole): Plain & { spec: Plain & { template: Pod } } =>
  unwrap(find(among, type, name).inputs) as Plain & { spec: Plain & { template: Pod } };
const ofType = (resources: readonly RecordedResource[], type: string): RecordedResource[] =>
  resources.filter((resource) => resource.type === type);
const nameOf = ({ inputs: given }: RecordedResource): string | undefined =>
  (unwrap(given["metadata"]) as { name?: string }).name;
const sourcesOf = (resources: RecordedResource[]): unknown =>
  inputs(types.deployment, "engine", resources).spec.template.spec.volumes[0];

test("uses an existing namespace without creating it", async () => {
  const resources = await run(everything, { createNamespace: false });
  expect(ofType(resources, types.namespace)).toEqual([]);
  for (const { inputs: given, type } of resources) {
    if (type.startsWith("kubernetes:")) expect(unwrap(given["metadata"])).toMatchObject({ namespace: "routes" });
  }
});

test("files and secrets are one read-only tree, as on Docker", () => {
  const { containers, volumes } = inputs(types.deployment, "engine").spec.template.spec;
  expect(containers[0]["volumeMounts"]).toEqual([
    { name: "files", mountPath: "/run/routeql", readOnly: true },
    { name: "temporary-tmp", mountPath: "/tmp" },
  ]);
  expect(volumes).toEqual([
    {
      name: "files",
      projected: {
        defaultMode: 0o444,
        sources: [
          {
            configMap: {
              name: expect.stringMatching(/^engine-files-[0-9a-f]{8}$/),
              items: [
                { key: "metadata..version.yaml", path: "metadata/version.yaml" },
                { key: "metadata..tables..a.yaml", path: "metadata/tables/a.yaml" },
              ],
            },
          },
          {
            secret: {
              name: expect.stringMatching(/^engine-secrets-[0-9a-f]{8}$/),
              items: [{ key: "secrets..engine-access-key", path: "secrets/engine-access-key" }],
            },
          },
        ],
      },
    },
    { name: "temporary-tmp", emptyDir: { medium: "Memory", sizeLimit: "16Mi" } },
  ]);
});

test("changes the live files of a service that follows them in its running pods", async () => {
  const followed = (live: string, other: string): Promise<RecordedResource[]> =>
    run([{ ...engine, calls: [], after: [], files: { live, other }, liveFiles: ["live"], followsFiles: true }]);
  const [before, after, replaced] = [await followed("1", "a"), await followed("2", "a"), await followed("1", "b")];
  expect(changed(before, after)).toEqual(["ConfigMap engine-live-files"]);
  expect(inputs(types.configMap, "engine-live-files", after)["data"]).toEqual({ live: "2" });
  expect(changed(before, replaced)).toEqual(["ConfigMap engine-files", "Deployment engine"]);
});

const versioned = [types.configMap, types.secret, types.job];
const versionedAmong = (resources: readonly RecordedResource[]): RecordedResource[] =>
  versioned.flatMap((type) => ofType(resources, type));

test("ConfigMaps and Secrets are immutable", () => {
  for (const resource of [...ofType(whole, types.configMap), ...ofType(whole, types.secret)])
    expect(resource.inputs["immutable"]).toBe(true);
});

test("under Pulumi the name of a versioned object never returns", () => {
  expect(versionedAmong(whole).length).toBeGreaterThan(3);
  for (const resource of versionedAmong(whole)) expect(nameOf(resource), resource.name).toBeUndefined();
});

test("in manifests versioned objects are named by their content", async () => {
  const manifests = (key: string): Promise<RecordedResource[]> =>
    run(everything, { scope: { ...usual.scope, contentNames: true } }, testSecrets({ "engine-access-key": key }));
  const [once, again, other] = [await manifests("a key"), await manifests("a key"), await manifests("another key")];
  for (const resource of versionedAmong(once))
    expect(nameOf(resource)).toMatch(new RegExp(`^${resource.name}-[0-9a-f]{12}$`));
  expect(versionedAmong(again).map(nameOf)).toEqual(versionedAmong(once).map(nameOf));
  expect(changed(once, other)).toEqual(["Deployment engine", "Secret engine-secrets"]);
  expect(sourcesOf(other)).not.toEqual(sourcesOf(once));
});

test("a database that must own its data has a directory below the volume's root", () => {
  const { spec } = inputs(types.statefulSet, "database");
  expect(spec.template.spec.containers[0].env).toContainEqual({ name: "PGDATA", value: "/var/lib/data/own" });
  expect(spec.template.spec.containers[0]["volumeMounts"]).toContainEqual({ name: "data", mountPath: "/var/lib/data" });
  expect(spec["volumeClaimTemplates"]).toMatchObject([
    {
      metadata: { name: "data" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "20Gi" } } },
    },
  ]);
  expect(spec["persistentVolumeClaimRetentionPolicy"]).toEqual({ whenDeleted: "Retain", whenScaled: "Retain" });
});

test("derives probes from the health description; liveness covers only restartable failures", () => {
  const ready = { path: "/healthz?strict=true", port: 8080 };
  expect(inputs(types.deployment, "engine").spec.template.spec.containers[0]).toMatchObject({
    startupProbe: { httpGet: ready, periodSeconds: 2, failureThreshold: 150 },
    readinessProbe: { httpGet: ready, periodSeconds: 3, timeoutSeconds: 3, failureThreshold: 2 },
    livenessProbe: { httpGet: { path: "/v1/version", port: 8080 } },
  });
  expect(inputs(types.statefulSet, "database").spec.template.spec.containers[0]).toMatchObject({
    livenessProbe: { exec: { command: ["pg_isready"] } },
  });
  for (const probe of ["startupProbe", "readinessProbe", "livenessProbe"])
    expect(inputs(types.job, "migrate").spec.template.spec.containers[0]).not.toHaveProperty(probe);
});

test("a draining pod keeps serving and has additional time to stop", () => {
  const { spec } = inputs(types.deployment, "engine").spec.template;
  expect(spec.containers[0]["lifecycle"]).toEqual({ preStop: { exec: { command: ["sleep", "5"] } } });
  expect(spec["terminationGracePeriodSeconds"]).toBe(15);
  expect(inputs(types.deployment, "gateway").spec.template.spec.containers[0]["lifecycle"]).toEqual({
    preStop: { exec: { command: ["sh", "-c", 'touch "$0"; exec "$@"', "/tmp/draining", "sleep", "15"] } },
  });
  expect(inputs(types.deployment, "engine").spec["strategy"]).toEqual({
    type: "RollingUpdate",
    rollingUpdate: { maxSurge: 1, maxUnavailable: 0 },
  });
});

test("Docker's command is Kubernetes' arguments, Docker's entry point its command", async () => {
  expect(inputs(types.deployment, "engine").spec.template.spec.containers[0]).toMatchObject({
    args: ["node", "main.ts"],
  });
  const other = await run([database, migrate, { ...engine, entrypoint: ["sh", "start"] }, gateway]);
  expect(inputs(types.deployment, "engine", other).spec.template.spec.containers[0]).toMatchObject({
    command: ["sh", "start"],
  });
});

test("with autoscaling only the autoscaler sets the number of replicas", () => {
  expect(inputs(types.deployment, "engine").spec).not.toHaveProperty("replicas");
  expect(inputs(types.autoscaler, "engine").spec).toMatchObject({
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "engine" },
    minReplicas: 2,
    maxReplicas: 4,
  });
  expect(inputs(types.deployment, "gateway").spec).toMatchObject({ replicas: 2 });
  expect(ofType(whole, types.autoscaler).map(({ name }) => name)).toEqual(["engine"]);
});

test("spreads replicas, evicts one at a time, and lets a node with a single pod drain", async () => {
  expect(ofType(whole, types.budget).map(({ name }) => name)).toEqual(["engine", "gateway"]);
  const labels = { "app.kubernetes.io/name": "engine", "app.kubernetes.io/instance": "routeql-prod" };
  expect(inputs(types.budget, "engine").spec).toMatchObject({ maxUnavailable: 1, selector: { matchLabels: labels } });
  const { spec } = inputs(types.deployment, "engine").spec.template;
  // With a constraint of zones the scheduler would not spread over nodes without this label.
  expect((spec["topologySpreadConstraints"] as Plain[]).map((constraint) => constraint["topologyKey"])).toEqual([
    "kubernetes.io/hostname",
  ]);
  const podAffinityTerm = {
    topologyKey: "topology.kubernetes.io/zone",
    labelSelector: { matchLabels: labels },
    matchLabelKeys: ["pod-template-hash"],
  };
  expect(spec["affinity"]).toMatchObject({
    podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ podAffinityTerm }] },
  });
  expect(ofType(await run(everything, { replicas: {} }), types.budget)).toEqual([]);
});

test("services have the same DNS names as on Docker; one with data is headless", () => {
  expect(inputs(types.service, "engine").spec).toMatchObject({
    type: "ClusterIP",
    selector: { "app.kubernetes.io/name": "engine", "app.kubernetes.io/instance": "routeql-prod" },
    ports: [{ name: "http", port: 8080, targetPort: 8080 }],
  });
  expect(inputs(types.service, "database").spec).toMatchObject({ clusterIP: "None", ports: [{ port: 5432 }] });
  expect(
    ofType(whole, types.service)
      .map((each) => String(nameOf(each)))
      .toSorted(),
  ).toEqual(["database", "engine", "gateway"]);
});

test.each([
  ["LoadBalancer", { port: 443, targetPort: 8443 }],
  ["NodePort", { port: 443, targetPort: 8443, nodePort: 443 }],
  ["ClusterIP", { port: 443, targetPort: 8443 }],
] as const)("the gateway is published as %s, and sees its clients' addresses", async (type, port) => {
  const resources = await run(everything, { publication: { type, annotations: { "example.net/kind": "internal" } } });
  const { metadata, spec } = inputs(types.service, "gateway", resources);
  expect(metadata).toMatchObject({ annotations: { "example.net/kind": "internal" } });
  expect(spec).toMatchObject({ type, ports: [{ name: "port-8443", protocol: "TCP", ...port }] });
  expect(spec["externalTrafficPolicy"]).toBe(type === "ClusterIP" ? undefined : "Local");
  const others = ofType(resources, types.service).filter(({ name }) => name !== "gateway");
  for (const { inputs: given } of others) expect(given["spec"]).toMatchObject({ type: "ClusterIP" });
});

test("settings of the owner reach the pods of all services, or of one", async () => {
  const toleration = { key: "dedicated", operator: "Equal", value: "routes", effect: "NoSchedule" };
  const required = { nodeSelectorTerms: [{ matchExpressions: [{ key: "disk", operator: "Exists" }] }] };
  const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } };
  const settings = {
    all: { labels: { team: "routes" }, annotations: { "example.net/scan": "no" }, tolerations: [toleration] },
    database: { nodeSelector: { disk: "fast" }, priorityClassName: "keep", labels: { tier: "data" } },
    engine: {
      affinity,
      serviceAccountName: "engine",
      topologySpreadConstraints: [{ topologyKey: "rack", whenUnsatisfiable: "DoNotSchedule" }],
    },
    gateway: { topologySpreadConstraints: [] },
  };
  const resources = await run(everything, { pods: podsOf(JSON.stringify(settings)) });
  const pod = (type: string, name: string) => inputs(type, name, resources).spec.template;
  for (const [type, name] of [
    [types.deployment, "engine"],
    [types.statefulSet, "database"],
    [types.job, "migrate"],
  ] as const) {
    expect(pod(type, name).metadata).toMatchObject({
      labels: { team: "routes", "app.kubernetes.io/name": name },
      annotations: { "example.net/scan": "no" },
    });
    expect(pod(type, name).spec["tolerations"]).toEqual([toleration]);
  }
  const { spec: data, metadata } = pod(types.statefulSet, "database");
  expect(data).toMatchObject({ nodeSelector: { disk: "fast" }, priorityClassName: "keep" });
  expect(metadata.labels).toMatchObject({ team: "routes", tier: "data" });
  const { spec } = pod(types.deployment, "engine");
  expect(spec).toMatchObject({ affinity, serviceAccountName: "engine", automountServiceAccountToken: false });
  expect(spec["topologySpreadConstraints"]).toMatchObject([
    { maxSkew: 1, topologyKey: "rack", labelSelector: { matchLabels: { "app.kubernetes.io/name": "engine" } } },
  ]);
  for (const field of ["nodeSelector", "priorityClassName"]) expect(spec).not.toHaveProperty(field);
  expect(pod(types.deployment, "gateway").spec).not.toHaveProperty("topologySpreadConstraints");
  const plain = inputs(types.deployment, "engine").spec.template;
  for (const field of ["nodeSelector", "tolerations", "priorityClassName", "serviceAccountName"])
    expect(plain.spec).not.toHaveProperty(field);
  expect(plain.metadata).not.toHaveProperty("annotations");
});

test("an affinity of the owner keeps the spread over zones, unless it has anti-affinity", async () => {
  const required = { nodeSelectorTerms: [{ matchExpressions: [{ key: "disk", operator: "Exists" }] }] };
  const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: required };
  const term = { topologyKey: "rack", labelSelector: { matchLabels: { team: "routes" } } };
  const podAntiAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [term] };
  const settings = { all: { affinity: { nodeAffinity } }, engine: { affinity: { podAntiAffinity } } };
  const resources = await run(everything, { pods: podsOf(JSON.stringify(settings)) });
  const affinityOf = (type: string, name: string) => inputs(type, name, resources).spec.template.spec["affinity"];
  const zones = { podAffinityTerm: { topologyKey: "topology.kubernetes.io/zone" } };
  expect(affinityOf(types.deployment, "gateway")).toMatchObject({
    nodeAffinity,
    podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [zones] },
  });
  expect(affinityOf(types.deployment, "engine")).toEqual({ podAntiAffinity });
  expect(affinityOf(types.statefulSet, "database")).toEqual({ nodeAffinity });
});

test("Services have the IP families of the setting", async () => {
  const families = { ipFamilies: ["IPv6", "IPv4"], ipFamilyPolicy: "RequireDualStack" };
  const resources = await run(everything, { scope: { ...usual.scope, ipFamilies: families } });
  for (const service of ofType(resources, types.service)) expect(service.inputs["spec"]).toMatchObject(families);
  expect(inputs(types.service, "engine").spec).not.toHaveProperty("ipFamilies");
});

test("takes images from the configured registry or from the nodes", async () => {
  const imageOf = (resources: RecordedResource[]): unknown =>
    inputs(types.deployment, "engine", resources).spec.template.spec.containers[0]["image"];
  expect(imageOf(whole)).toBe("routeql/engine:0123456789ab");
  const built = (["database", "database-tools", "engine", "gateway"] as const).map((name) => testImage(name));
  const images = { built, pulled: [], registry: "registry.example.net/kit", push: true };
  const pushed = await run(everything, { images, imagePullSecret: "registry" });
  expect(imageOf(pushed)).toBe("registry.example.net/kit/routeql/engine:0123456789ab");
  expect(inputs(types.deployment, "engine", pushed).spec.template.spec["imagePullSecrets"]).toEqual([
    { name: "registry" },
  ]);
  expect(find(pushed, "docker:index/image:Image", "engine-0123456789ab").inputs).toMatchObject({ skipPush: false });
  expect(ofType(whole, "docker:index/image:Image")).toEqual([]);
});

test("a changed secret restarts exactly its readers", async () => {
  const after = await run(everything, {}, testSecrets({ "engine-access-key": "another" }));
  expect(changed(whole, after)).toEqual(["Deployment engine", "Secret engine-secrets"]);
});

test("a changed secret that a service with data loads while it runs restarts nothing", async () => {
  const live = [{ ...database, liveFiles: ["secrets/bootstrap-password"] }, migrate, engine, gateway];
  const after = await run(live, {}, testSecrets({ "bootstrap-password": "another-bootstrap-password" }));
  expect(changed(await run(live), after)).toEqual(["Secret database-secrets"]);
  expect(inputs(types.secret, "database-secrets", after)).not.toHaveProperty("immutable");
});

test("a changed file restarts exactly its readers", async () => {
  const files = { ...engine.files, "metadata/version.yaml": "version: 4\n" };
  const after = await run([database, migrate, { ...engine, files }, gateway]);
  expect(changed(whole, after)).toEqual(["ConfigMap engine-files", "Deployment engine"]);
});

test("a changed secret or image creates another job", async () => {
  const after = await run(everything, {}, testSecrets({ "owner-password": "another" }));
  expect(changed(whole, after)).toEqual(["Job migrate", "Secret migrate-secrets"]);
  const built = everything.map(({ image }) => testImage(image, "ba9876543210"));
  expect(changed(whole, await run(everything, { images: { built, pulled: [], push: false } }))).toContain(
    "Job migrate",
  );
});

test("a job retries a few times, has a deadline, and stays when it is done", () => {
  const { spec } = inputs(types.job, "migrate");
  expect(spec).toMatchObject({ backoffLimit: 4, activeDeadlineSeconds: 1800 });
  expect(spec).not.toHaveProperty("ttlSecondsAfterFinished");
  expect(spec.template.spec["restartPolicy"]).toBe("Never");
});

test("mounts files that an object of the cluster contains", async () => {
  const resources = await run(everything, { certificate: { secret: "gateway-tls" } });
  expect(ofType(resources, types.secret).map(({ name }) => name)).not.toContain("gateway-secrets");
  const [files] = inputs(types.deployment, "gateway", resources).spec.template.spec.volumes;
  expect(files).toMatchObject({
    projected: {
      sources: [
        {
          secret: {
            name: "gateway-tls",
            items: [
              { key: "tls.crt", path: "tls/certificate.pem" },
              { key: "tls.key", path: "tls/private-key.pem" },
            ],
          },
        },
      ],
    },
  });
});

test("rejects a description without an image, a size or a dependency", async () => {
  await expect(run([describeTestService({ image: "sessions" })])).rejects.toThrow(
    "There is no image sessions, but engine needs it.",
  );
  await expect(run([{ ...engine, calls: [] }])).rejects.toThrow(
    "engine waits for migrate, which is not described before it.",
  );
  await expect(run([database], { storage: {} })).rejects.toThrow("Nothing says how large the volume of database is.");
});
