import { beforeAll, expect, test } from "vitest";
import type { Output } from "@pulumi/pulumi";
import { find, type RecordedResource, recordStack, splitSecrets, unwrap } from "../testing/recorded-stack.ts";
import { describeStack } from "../testing/descriptions.ts";
import { grouped } from "../settings/groups.ts";
import type { GivenInputs } from "../settings/list.ts";
import { RouteQL, type RouteQLOptions } from "./routeql.ts";

const value = <Value>(output: Output<Value>): Promise<Value> => new Promise((resolve) => void output.apply(resolve));

async function deploy(args: GivenInputs = {}, options: RouteQLOptions = {}) {
  let component: RouteQL | undefined;
  const resources = await recordStack(
    () => {
      component = new RouteQL("routes", grouped({ engine: "embedded", ...args }), options);
    },
    { stack: "prod" },
  );
  if (component === undefined) throw new Error("No component was made.");
  return { component, resources };
}

let plain: Awaited<ReturnType<typeof deploy>>;
beforeAll(async () => {
  plain = await deploy();
});

interface Object {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly annotations?: Record<string, string>;
  };
  readonly spec: Record<string, unknown>;
}
const objects = (resources: readonly RecordedResource[], kind: string): Object[] =>
  resources
    .filter(({ type }) => type.startsWith("kubernetes:") && type.endsWith(`:${kind}`))
    .map(({ inputs }) => unwrap(inputs) as Object);
const namesOf = (resources: readonly RecordedResource[], kind: string): string[] =>
  objects(resources, kind)
    .map(({ metadata }) => metadata.name)
    .toSorted();

test("the stack prod runs on Kubernetes in a namespace of its name, without Docker", () => {
  const { resources } = plain;
  expect(namesOf(resources, "Namespace")).toEqual(["routes-prod"]);
  const services = describeStack({ target: "kubernetes", engine: "embedded" }).filter(({ run }) => run === "service");
  const [stateful, stateless] = [true, false].map((hasData) =>
    services
      .filter(({ data }) => (data !== undefined) === hasData)
      .map(({ name }) => name)
      .toSorted(),
  );
  expect(namesOf(resources, "Deployment")).toEqual(stateless);
  expect(namesOf(resources, "StatefulSet")).toEqual(stateful);
  expect(objects(resources, "Job")).toHaveLength(1);
  expect(resources.filter(({ type }) => type.startsWith("docker:"))).toEqual([]);
  for (const { type, inputs } of resources) {
    if (!type.startsWith("kubernetes:") || type.endsWith(":Namespace")) continue;
    expect(unwrap(inputs["metadata"])).toMatchObject({ namespace: "routes-prod" });
  }
});

test("no secret is in clear in any resource's inputs, and no ConfigMap holds one", async () => {
  const { component, resources } = plain;
  const secrets = [
    await value(component.engineAccessKey),
    await value(component.serviceApiKey),
    await value(component.adminPassword),
  ];
  secrets.push(...Object.values(await value(component.databasePasswords)).filter((password) => password !== ""));
  expect(secrets).toHaveLength(9);
  for (const { type, inputs } of resources) {
    const { open } = splitSecrets(inputs);
    for (const secret of secrets) expect(open).not.toContain(secret);
    expect(open).not.toContain("PRIVATE KEY");
    if (type.endsWith(":ConfigMap"))
      for (const secret of secrets) expect(JSON.stringify(unwrap(inputs))).not.toContain(secret);
  }
});

test("the gateway waits for cert-manager's certificate, and the program creates none", async () => {
  const { resources, component } = await deploy({ certificateIssuer: "letsencrypt", publicHost: "routes.example.net" });
  expect(objects(resources, "Certificate")).toMatchObject([
    {
      metadata: { name: "gateway", namespace: "routes-prod", annotations: { "pulumi.com/waitFor": "condition=Ready" } },
      spec: {
        secretName: "gateway-certificate",
        dnsNames: ["routes.example.net"],
        issuerRef: { group: "cert-manager.io", kind: "ClusterIssuer", name: "letsencrypt" },
      },
    },
  ]);
  const gateway = JSON.stringify(unwrap(find(resources, "kubernetes:apps/v1:Deployment", "routes-gateway").inputs));
  expect(gateway).toContain('"path":"tls/private-key.pem"}],"name":"gateway-certificate"');
  expect(gateway).not.toContain("tls..");
  expect(resources.filter(({ type }) => type.startsWith("tls:"))).toEqual([]);
  expect(await value(component.caCertificate)).toBe("");
});

test("connects to an external database at its port and verifies it as its URL requires", async () => {
  const databaseUrl = "postgres://root:a-long-password@db.example.net:6432/records?sslmode=require";
  const { resources } = await deploy({ database: "external", databaseUrl });
  expect(namesOf(resources, "StatefulSet")).toEqual(["sessions"]);
  const secret = unwrap(
    find(resources, "kubernetes:core/v1:Secret", "routes-engine-secrets").inputs["stringData"],
  ) as Record<string, string>;
  expect(secret["secrets..engine-database-url"]).toMatch(
    /^postgres:\/\/routeql_engine:[^@]+@db\.example\.net:6432\/records\?sslmode=require$/,
  );
  const bootstrap = unwrap(
    find(resources, "kubernetes:core/v1:Secret", "routes-migrate-secrets").inputs["stringData"],
  ) as Record<string, string>;
  expect(bootstrap["secrets..bootstrap-database-url"]).toBe(databaseUrl);
  const policy = find(resources, "kubernetes:networking.k8s.io/v1:NetworkPolicy", "routes-engine").inputs;
  expect(JSON.stringify(policy)).toContain('"port":6432');
  for (const { inputs } of resources) expect(splitSecrets(inputs).open).not.toContain("a-long-password");
});

test("an external session store is called with the given URL", async () => {
  const { resources } = await deploy({
    sessions: "external",
    sessionsUrl: "rediss://:another-password@sessions.example.net",
  });
  expect(namesOf(resources, "StatefulSet")).toEqual(["database"]);
  const secret = unwrap(
    find(resources, "kubernetes:core/v1:Secret", "routes-auth-sidecar-secrets").inputs["stringData"],
  ) as Record<string, string>;
  expect(secret["secrets..sessions-url"]).toBe("rediss://:another-password@sessions.example.net");
});

test("a database cluster has logins, a policy and backups, and the engine reads from replicas", async () => {
  const { resources } = await deploy({
    database: "cloudnative-pg",
    backupDestination: "s3://backups",
    backupAccessKeyId: "the-id",
    backupSecretAccessKey: "the-secret-key",
  });
  expect(namesOf(resources, "StatefulSet")).toEqual(["sessions"]);
  expect(objects(resources, "Cluster")).toMatchObject([{ metadata: { name: "database" }, spec: { instances: 3 } }]);
  expect(namesOf(resources, "ScheduledBackup")).toEqual(["database"]);
  expect(namesOf(resources, "ObjectStore")).toEqual(["database"]);
  expect(namesOf(resources, "NetworkPolicy")).toContain("database");
  const logins = resources.filter(
    ({ type, inputs }) => type.endsWith(":Secret") && inputs["type"] === "kubernetes.io/basic-auth",
  );
  expect(logins.map(({ name }) => name).toSorted()).toEqual(
    ["backup", "engine", "loader", "metadata", "owner", "sidecar", "superuser"].map(
      (name) => `routes-database-${name}`,
    ),
  );
  const engine = unwrap(
    find(resources, "kubernetes:core/v1:Secret", "routes-engine-secrets").inputs["stringData"],
  ) as Record<string, string>;
  expect(engine["secrets..engine-database-url"]).toContain("@database-ro:5432/routeql?sslmode=verify-full");
  const sidecar = unwrap(
    find(resources, "kubernetes:core/v1:Secret", "routes-auth-sidecar-secrets").inputs["stringData"],
  ) as Record<string, string>;
  expect(sidecar["secrets..sidecar-database-url"]).toContain("@database-rw:5432/");
  for (const { inputs } of resources) expect(splitSecrets(inputs).open).not.toContain("the-secret-key");
  const pods = JSON.stringify(unwrap(find(resources, "kubernetes:apps/v1:Deployment", "routes-engine").inputs));
  expect(pods).toContain('{"secret":{"items":[{"key":"ca.crt","path":"database/ca.pem"}],"name":"database-ca"}}');
});

test("an autoscaler stays for one update with equal bounds, so that fewer replicas take effect", async () => {
  const fewer = { engineReplicas: 1, engineReplicasMost: 1 };
  const { resources } = await deploy(fewer, { autoscaledBefore: ["engine"] });
  const engine = objects(resources, "HorizontalPodAutoscaler").find(({ metadata }) => metadata.name === "engine");
  expect(engine?.spec).toMatchObject({ minReplicas: 1, maxReplicas: 1 });
  const deployed = objects(resources, "Deployment").find(({ metadata }) => metadata.name === "engine");
  expect(deployed?.spec).toMatchObject({ replicas: 1 });
  const next = await deploy(fewer);
  expect(namesOf(next.resources, "HorizontalPodAutoscaler")).not.toContain("engine");
});
