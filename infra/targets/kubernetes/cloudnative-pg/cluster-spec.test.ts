import { expect, test } from "vitest";
import { roleNames } from "@routeql/database/migrate/settings";
import { roles } from "@routeql/database/migrate/roles";
import { clusterSpec, scheduleSpec, storeSpec } from "./cluster-spec.ts";
import type { ClusterSettings, LoginSecrets } from "./cluster-spec.ts";
import { clusterPolicy } from "./cluster.ts";

const settings: ClusterSettings = {
  instances: 3,
  image: "ghcr.io/cloudnative-pg/postgresql:17.9-standard-trixie",
  storage: { size: "20Gi", storageClass: "fast" },
  resources: { memoryMegabytes: 1024, cpuMillicores: 250 },
  parameters: { max_connections: "200" },
  pod: {},
  operatorNamespace: "cnpg-system",
  apiServerPorts: [443, 16_443],
};
const backup = { destination: "s3://backups/routes", schedule: "0 0 2 * * *", retentionDays: 30 };
const logins = Object.fromEntries(
  ["superuser", ...roleNames].map((name) => [name, `login-${name}`]),
) as LoginSecrets<string>;

test("a cluster of three starts with the database, its owner and every role with its own login", () => {
  const spec = clusterSpec(settings, logins, {});
  expect(spec).toMatchObject({
    instances: 3,
    superuserSecret: { name: "login-superuser" },
    bootstrap: { initdb: { database: "routeql", owner: "routeql_owner", secret: { name: "login-owner" } } },
    storage: { size: "20Gi", storageClass: "fast" },
  });
  expect(spec.managed.roles.map(({ name, passwordSecret }) => [name, passwordSecret.name])).toEqual(
    roleNames.map((name) => [`routeql_${name}`, `login-${name}`]),
  );
});

test("gives every role the connection limit of the migrate job", () => {
  for (const { name, connectionLimit, ensure, login, inherit } of clusterSpec(settings, logins, {}).managed.roles) {
    expect({ ensure, login, inherit }).toEqual({ ensure: "present", login: true, inherit: true });
    expect(connectionLimit).toBe(roles[name.replace("routeql_", "") as keyof typeof roles].connectionLimit);
  }
});

test("rejects connections without encryption", () => {
  expect(clusterSpec(settings, logins, {}).postgresql.pg_hba).toEqual(["hostnossl all all all reject"]);
});

test("takes the owner's placement and resources in the operator's form", () => {
  const term = { topologyKey: "rack", labelSelector: { matchLabels: { tier: "data" } } };
  const podAntiAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [term] };
  const pod = {
    nodeSelector: { disk: "fast" },
    affinity: { podAntiAffinity },
    topologySpreadConstraints: [],
    resources: { requests: { memory: 2048 } },
  };
  expect(clusterSpec({ ...settings, pod }, logins, {})).toMatchObject({
    affinity: { nodeSelector: { disk: "fast" }, additionalPodAntiAffinity: podAntiAffinity },
    topologySpreadConstraints: [],
    resources: { requests: { cpu: "250m", memory: "2Gi" }, limits: { cpu: "2", memory: "2Gi" } },
  });
});

test("has the single database's server settings and does not wait for pooled connections", () => {
  const spec = clusterSpec(settings, logins, {});
  expect(spec.postgresql.parameters).toEqual({ max_connections: "200" });
  expect(spec.smartShutdownTimeout).toBe(0);
});

test("a committed change is on a second instance, if there is one", () => {
  expect(clusterSpec(settings, logins, {}).postgresql).toMatchObject({
    synchronous: { method: "any", number: 1, dataDurability: "preferred" },
  });
  expect(clusterSpec({ ...settings, instances: 1 }, logins, {}).postgresql).not.toHaveProperty("synchronous");
});

test("archives all changes to the destination, or makes no backups without one", () => {
  expect(clusterSpec(settings, logins, {})).not.toHaveProperty("plugins");
  expect(clusterSpec({ ...settings, backup }, logins, {}).plugins).toEqual([
    {
      name: "barman-cloud.cloudnative-pg.io",
      enabled: true,
      isWALArchiver: true,
      parameters: { barmanObjectName: "database" },
    },
  ]);
  expect(scheduleSpec(backup)).toMatchObject({
    schedule: "0 0 2 * * *",
    cluster: { name: "database" },
    method: "plugin",
  });
});

test("uses the given login for the storage, or the nodes' role", () => {
  expect(storeSpec(backup, undefined)).toMatchObject({
    retentionPolicy: "30d",
    configuration: { destinationPath: "s3://backups/routes", s3Credentials: { inheritFromIAMRole: true } },
  });
  expect(storeSpec({ ...backup, endpoint: "https://storage.example.net" }, "login").configuration).toMatchObject({
    endpointURL: "https://storage.example.net",
    s3Credentials: {
      accessKeyId: { name: "login", key: "ACCESS_KEY_ID" },
      secretAccessKey: { name: "login", key: "ACCESS_SECRET_KEY" },
    },
  });
});

test("verifies the storage by the given authorities", () => {
  const ofOwn = { ...backup, endpoint: "https://storage.example.net" };
  expect(storeSpec(ofOwn, "login", "authorities").configuration).toMatchObject({
    endpointCA: { name: "authorities", key: "authorities.pem" },
  });
  expect(storeSpec(ofOwn, "login").configuration).not.toHaveProperty("endpointCA");
});

test("gives the plugin's container requests and limits, which a quota requires", () => {
  const { resources } = storeSpec(backup, undefined).instanceSidecarConfiguration;
  for (const sizes of Object.values(resources)) expect(Object.keys(sizes)).toEqual(["cpu", "memory"]);
});

test("sends no unknown checksums to storage other than Amazon's", () => {
  expect(storeSpec(backup, undefined).instanceSidecarConfiguration).not.toHaveProperty("env");
  expect(
    storeSpec({ ...backup, endpoint: "https://storage.example.net" }, "login").instanceSidecarConfiguration.env,
  ).toEqual([
    { name: "AWS_REQUEST_CHECKSUM_CALCULATION", value: "when_required" },
    { name: "AWS_RESPONSE_CHECKSUM_VALIDATION", value: "when_required" },
    { name: "AWS_DEFAULT_REGION", value: "us-east-1" },
  ]);
});

test("annotates the service account of the instances, for a role", () => {
  const role = { "eks.amazonaws.com/role-arn": "arn:aws:iam::123456789012:role/routes" };
  expect(clusterSpec({ ...settings, serviceAccountAnnotations: role }, logins, {})).toMatchObject({
    serviceAccountTemplate: { metadata: { annotations: role } },
  });
  expect(clusterSpec(settings, logins, {})).not.toHaveProperty("serviceAccountTemplate");
});

const callers = {
  callers: ["engine", "migrate"] as const,
  backupLogin: "keys",
  nameServers: [],
  scope: { instance: "routeql-prod" },
};

test("accepts declared callers, other instances and the operator only", () => {
  const { ingress } = clusterPolicy(settings, callers) as { ingress: { from: object[]; ports: { port: number }[] }[] };
  expect(JSON.stringify(ingress.map(({ from }) => from))).toBe(
    JSON.stringify([
      ["engine", "migrate"].map((name) => ({
        podSelector: { matchLabels: { "app.kubernetes.io/name": name, "app.kubernetes.io/instance": "routeql-prod" } },
      })),
      [
        { podSelector: { matchLabels: { "cnpg.io/cluster": "database" } } },
        { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "cnpg-system" } } },
      ],
    ]),
  );
  expect(ingress.map(({ ports }) => ports.map(({ port }) => port))).toEqual([[5432], [5432, 8000]]);
});

test.each([
  [undefined, [443, 16_443]],
  [backup, [443, 16_443]],
  [{ ...backup, endpoint: "http://storage.example.net:9000" }, [443, 16_443, 9000]],
])("the instances reach the API server and the storage of backups %o", (given, ports) => {
  const { egress } = clusterPolicy({ ...settings, backup: given }, callers) as {
    egress: { to: object[]; ports: { port: number }[] }[];
  };
  expect(egress.at(-1)?.ports.map(({ port }) => port)).toEqual(ports);
});

test("only backups without keys reach the services that give roles, at port 80", () => {
  const reached = (given: typeof settings.backup, backupLogin: unknown): string[] => {
    const { egress } = clusterPolicy({ ...settings, backup: given }, { ...callers, backupLogin }) as {
      egress: { to: { ipBlock?: { cidr: string } }[]; ports: { port: number }[] }[];
    };
    const atPort = egress.filter(({ ports }) => ports.some(({ port }) => port === 80));
    return atPort.flatMap(({ to }) => to.map(({ ipBlock }) => ipBlock!.cidr));
  };
  expect(reached(backup, undefined)).toContain("169.254.169.254/32");
  expect(reached(backup, "keys")).toEqual([]);
  expect(reached(undefined, undefined)).toEqual([]);
});
