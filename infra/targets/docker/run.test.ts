import { beforeAll, expect, test } from "vitest";
import { ComponentResource } from "@pulumi/pulumi";
import type { ServiceDescription } from "../../description/service.ts";
import type { Secrets } from "../../description/secrets.ts";
import { describeTestService, testImage, testSecrets } from "../../testing/descriptions.ts";
import { changed, find, type RecordedResource, recordStack, unwrap } from "../../testing/recorded-stack.ts";
import { runOnDocker } from "./run.ts";

const container = "docker:index/container:Container";
const network = "docker:index/network:Network";
const volume = "docker:index/volume:Volume";

const database = describeTestService({
  name: "database",
  image: "database",
  data: "/data",
  secrets: { PASSWORD_FILE: "bootstrap-password" },
});
const migrate = describeTestService({
  name: "migrate",
  image: "database-tools",
  run: "job",
  health: undefined,
  calls: ["database"],
  after: ["database"],
});
const engine = describeTestService({
  calls: ["database"],
  after: ["migrate"],
  environment: { PORT: "8080" },
  secrets: { KEY_FILE: "engine-access-key" },
  files: { "metadata/version.yaml": "version: 3\n" },
  temporary: { "/tmp": 16 },
});
const gateway = describeTestService({
  name: "gateway",
  image: "gateway",
  calls: ["engine"],
  after: ["engine"],
  ports: [{ internal: 8443, published: 443 }],
});
const everything = [database, migrate, engine, gateway];

function run(
  services: readonly ServiceDescription[] = everything,
  secrets: Secrets = testSecrets(),
): Promise<RecordedResource[]> {
  const built = (["database", "database-tools", "engine", "gateway"] as const).map((name) => testImage(name));
  return recordStack(() => {
    const parent = new ComponentResource("routeql:test:Parent", "parent");
    runOnDocker(
      {
        services,
        images: { built, pulled: [] },
        secrets,
        hostAddress: "127.0.0.1",
        processorLimit: 4,
        protectData: false,
        scope: { prefix: "routeql-local", stack: "local", named: (part) => part },
      },
      parent,
    );
  });
}

let whole: RecordedResource[] = [];
beforeAll(async () => {
  whole = await run();
});

const ofType = (resources: readonly RecordedResource[], type: string): RecordedResource[] =>
  resources.filter((resource) => resource.type === type);
const names = (resources: readonly RecordedResource[]): string[] =>
  resources.map(({ inputs }) => String(inputs["name"])).toSorted();

test("creates an internal network for each call edge, and one with external access", () => {
  const networks = ofType(whole, network).map(({ inputs }) => [inputs["name"], inputs["internal"]]);
  expect(Object.fromEntries(networks)).toEqual({
    "routeql-local-edge": false,
    "routeql-local-engine-database": true,
    "routeql-local-gateway-engine": true,
    "routeql-local-migrate-database": true,
  });
});

test("the host has an address on networks with a way out alone", () => {
  for (const { inputs } of ofType(whole, network)) {
    const options = inputs["options"] as Record<string, string> | undefined;
    expect(options?.["com.docker.network.bridge.inhibit_ipv4"]).toBe(inputs["internal"] === true ? "true" : undefined);
  }
});

test("each container is on its own edges' networks; only publishing ones are on the edge", () => {
  const attachments = everything.map(({ name }) => {
    const attached = unwrap(find(whole, container, name).inputs["networksAdvanced"]) as {
      name: string;
      aliases: string[];
    }[];
    for (const { aliases } of attached) expect(aliases).toEqual([name]);
    return [name, attached.map((each) => each.name.replace("routeql-local-", ""))];
  });
  expect(Object.fromEntries(attachments)).toEqual({
    database: ["migrate-database", "engine-database"],
    migrate: ["migrate-database"],
    engine: ["engine-database", "gateway-engine"],
    gateway: ["gateway-engine", "edge"],
  });
});

test("an external edge is a network with external access and one member", async () => {
  const resources = await run([database, migrate, { ...engine, callsOutside: ["directory"] }, gateway]);
  expect(find(resources, network, "engine-directory").inputs).toMatchObject({
    name: "routeql-local-engine-directory",
    internal: false,
  });
  const members = ofType(resources, container).filter(({ inputs }) =>
    JSON.stringify(unwrap(inputs["networksAdvanced"] ?? [])).includes("routeql-local-engine-directory"),
  );
  expect(members.map(({ name }) => name)).toEqual(["engine"]);
  expect(changed(whole, resources)).toEqual(["Container engine", "Network engine-directory"]);
});

test("a service that sends alerts leaves by the network of the monitoring", async () => {
  const resources = await run([database, migrate, { ...engine, callsOutside: ["receiver"] }, gateway]);
  expect(find(resources, network, "monitoring-edge").inputs).toMatchObject({ internal: false });
  expect(JSON.stringify(unwrap(find(resources, container, "engine").inputs["networksAdvanced"]))).toContain(
    "monitoring-edge",
  );
  expect(changed(whole, resources)).toEqual(["Container engine", "Network monitoring-edge"]);
});

test("without a publishing service no network has external access", async () => {
  const networks = ofType(await run([database, migrate]), network);
  expect(networks.every(({ inputs }) => inputs["internal"] === true)).toBe(true);
});

test("names the volumes for data and for files", () => {
  expect(names(ofType(whole, volume))).toEqual([
    "routeql-local-database-data",
    "routeql-local-database-files-database-files-version-hex",
    "routeql-local-engine-files-engine-files-version-hex",
  ]);
});

test("every object has the stack's label, and objects of a service its name", () => {
  for (const { type, name, inputs } of whole) {
    if (![container, network, volume].includes(type)) continue;
    const labels = unwrap(inputs["labels"]) as { label: string; value: string }[];
    expect(labels).toContainEqual({ label: "com.routeql.stack", value: "local" });
    if (type !== network)
      expect(labels).toContainEqual({ label: "com.routeql.service", value: name.replace(/-(files|data)$/, "") });
  }
});

test("delivers files and secrets through the carrier, read-only", () => {
  const carrier = find(whole, container, "engine-files").inputs;
  expect(carrier).toMatchObject({
    name: "routeql-local-engine-files",
    start: false,
    mustRun: false,
    networkMode: "none",
  });
  expect(unwrap(carrier["uploads"])).toEqual([
    { file: "/run/routeql/metadata/version.yaml", content: "version: 3\n", permissions: "0444" },
    { file: "/run/routeql/secrets/engine-access-key", content: "value-of-engine-access-key", permissions: "0444" },
  ]);
  expect(find(whole, container, "engine").inputs["volumes"]).toEqual([
    { volumeName: find(whole, volume, "engine-files").inputs["name"], containerPath: "/run/routeql", readOnly: true },
  ]);
});

test("the environment has the path of a secret, and nothing but plain values otherwise", () => {
  expect(find(whole, container, "engine").inputs["envs"]).toEqual([
    "KEY_FILE=/run/routeql/secrets/engine-access-key",
    "PORT=8080",
  ]);
});

test("creates no carrier for a service without files and secrets", () => {
  expect(
    ofType(whole, container)
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(["database", "database-files", "engine", "engine-files", "gateway", "migrate"].toSorted());
});

test("a service depends on its carrier's id, so that a changed file or secret replaces it", () => {
  const labels = unwrap(find(whole, container, "engine").inputs["labels"]);
  expect(labels).toContainEqual({ label: "com.routeql.files", value: "engine-files-id" });
});

test("another file draws the name of another volume, another content keeps it", async () => {
  const keepers = async (files: ServiceDescription["files"]): Promise<unknown> => {
    const resources = await run([database, migrate, { ...engine, files }, gateway]);
    return find(resources, "random:index/randomId:RandomId", "engine-files-version").inputs["keepers"];
  };
  expect(await keepers({ a: "one" })).toEqual(await keepers({ a: "two" }));
  expect(await keepers({ a: "one" })).not.toEqual(await keepers({ b: "one" }));
});

test("a changed secret directly changes only the carriers of its readers", async () => {
  const after = await run(everything, testSecrets({ "engine-access-key": "another" }));
  expect(changed(whole, after)).toEqual(["Container engine-files"]);
});

test("a changed variable replaces one container", async () => {
  const after = await run([database, migrate, { ...engine, environment: { PORT: "9999" } }, gateway]);
  expect(changed(whole, after)).toEqual(["Container engine"]);
});

test("a job runs once, is waited for, and is not restarted", () => {
  const { inputs } = find(whole, container, "migrate");
  expect(inputs).toMatchObject({ restart: "no", mustRun: false, attach: true, logs: true });
  for (const key of ["healthcheck", "wait", "ports"]) expect(inputs).not.toHaveProperty(key);
});

test("images are built, not pushed", () => {
  expect(find(whole, "docker:index/image:Image", "engine-0123456789ab").inputs).toMatchObject({
    imageName: "routeql/engine:0123456789ab",
    skipPush: true,
    build: { context: "/context", dockerfile: "/context/images/engine/Dockerfile" },
  });
});

test("rejects a description without a built image or with an unknown dependency", async () => {
  await expect(run([describeTestService({ image: "sessions" })])).rejects.toThrow(
    "There is no image sessions, but engine needs it.",
  );
  await expect(run([engine])).rejects.toThrow("engine waits for database, which is not described before it.");
});
