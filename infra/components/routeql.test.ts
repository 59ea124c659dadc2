import { randomBytes } from "node:crypto";
import { isSecret } from "@pulumi/pulumi";
import type { CustomResourceOptions, Output, ResourceTransformationArgs } from "@pulumi/pulumi";
import { beforeAll, expect, test } from "vitest";
import {
  find,
  type RecordedResource,
  recordStack,
  type RunOptions,
  splitSecrets,
  unwrap,
} from "../testing/recorded-stack.ts";
import { describeStack } from "../testing/descriptions.ts";
import { grouped } from "../settings/groups.ts";
import type { GivenInputs } from "../settings/list.ts";
import { RouteQL } from "./routeql.ts";

const container = "docker:index/container:Container";
const value = <Value>(output: Output<Value>): Promise<Value> => new Promise((resolve) => void output.apply(resolve));

async function deploy(args: GivenInputs = {}, options: RunOptions & { name?: string } = {}) {
  let component: RouteQL | undefined;
  const resources = await recordStack(() => {
    component = new RouteQL(options.name ?? "routeql", grouped(args));
  }, options);
  if (component === undefined) throw new Error("No component was made.");
  return { component, resources };
}

let plain: Awaited<ReturnType<typeof deploy>>;
beforeAll(async () => {
  plain = await deploy();
});

const containerNames = (resources: readonly RecordedResource[]): string[] =>
  resources
    .filter(({ type }) => type === container)
    .map(({ inputs }) => String(inputs["name"]))
    .toSorted();

test("containers are named after the component, the stack and the service", async () => {
  const { resources } = await deploy({}, { name: "routes", stack: "staging" });
  const services = describeStack().map(({ name }) => name);
  expect(services).toEqual(expect.arrayContaining(["migrate", "gateway"]));
  const names = containerNames(resources);
  expect(names).toContain("routes-staging-gateway-files");
  expect(names.filter((name) => !name.endsWith("-files"))).toEqual(
    services.map((name) => `routes-staging-${name}`).toSorted(),
  );
});

test("the outputs contain the addresses and the running services", async () => {
  const { component } = await deploy(
    { publicHost: "routes.example.net", httpsPort: 8443, consolePort: 32_001, engineConsole: true },
    { stack: "staging" },
  );
  expect(await value(component.url)).toBe("https://routes.example.net:8443");
  expect(component.consoleUrl && (await value(component.consoleUrl))).toBe("https://routes.example.net:32001/");
  expect(await value(component.adminEmail)).toBe("admin@example.net");
  expect(await value(component.caCertificate)).toContain("BEGIN CERTIFICATE");
  const services = await value(component.services);
  expect(services).toContainEqual({
    service: "engine",
    container: "routeql-staging-engine",
    image: expect.stringMatching(/^routeql\/engine:[0-9a-f]{12}$/) as unknown,
  });
  expect(services.map(({ service }) => service)).toEqual(describeStack().map(({ name }) => name));
});

test("a preview knows the addresses before anything is ready", async () => {
  const { component } = await deploy(
    { publicHost: "routes.example.net" },
    { preview: true, outputs: { "routeql-migrate": { exitCode: undefined, containerLogs: undefined } } },
  );
  // Undefined while the value is unknown.
  expect(await (component.url as unknown as { promise: () => Promise<unknown> }).promise()).toBe(
    "https://routes.example.net",
  );
});

test("a disabled console has no address", async () => {
  const { component } = await deploy({ engineConsole: false });
  expect(component.consoleUrl).toBeUndefined();
});

test("secret outputs are secrets, the others are not", async () => {
  const { component } = plain;
  for (const name of ["serviceApiKey", "engineAccessKey", "adminPassword", "databasePasswords"] as const) {
    expect(await isSecret(component[name] as Output<unknown>), name).toBe(true);
  }
  for (const name of ["url", "caCertificate", "adminEmail", "services"] as const) {
    expect(await isSecret(component[name] as Output<unknown>), name).toBe(false);
  }
});

test("no secret is in clear in any resource's inputs, and none is in an environment or a label", async () => {
  const { component, resources } = plain;
  const databasePasswords = await value(component.databasePasswords);
  const secrets = [
    await value(component.engineAccessKey),
    await value(component.serviceApiKey),
    await value(component.adminPassword),
    ...Object.values(databasePasswords).filter((password) => password !== ""),
  ];
  expect(secrets).toHaveLength(9);
  for (const { inputs, type } of resources) {
    const { open } = splitSecrets(inputs);
    for (const secret of secrets) expect(open).not.toContain(secret);
    expect(open).not.toContain("PRIVATE KEY");
    if (type !== container) continue;
    const visible = JSON.stringify(unwrap([inputs["envs"], inputs["labels"], inputs["command"], inputs["tmpfs"]]));
    for (const secret of secrets) expect(visible).not.toContain(secret);
  }
});

test("a given key reaches the engine's files and the outputs", async () => {
  const key = randomBytes(20).toString("hex");
  const { component, resources } = await deploy({ engineAccessKey: key });
  expect(await value(component.engineAccessKey)).toBe(key);
  expect(unwrap(find(resources, container, "routeql-engine-files").inputs["uploads"])).toContainEqual({
    file: "/run/routeql/secrets/engine-access-key",
    content: key,
    permissions: "0444",
  });
});

test("publishes the gateway's ports on every address of both families", async () => {
  const { resources } = await deploy({ hostAddress: "*", monitoring: "stack" });
  const portsOf = (name: string) =>
    (unwrap(find(resources, container, name).inputs["ports"]) as { ip: string; external: number }[]).map(
      ({ ip, external }) => `${ip} ${external}`,
    );
  const published = [80, 443, 32_000].flatMap((port) => [`0.0.0.0 ${port}`, `:: ${port}`]);
  expect(portsOf("routeql-gateway")).toEqual(published);
  expect(portsOf("routeql-prometheus")).toEqual(["127.0.0.1 9090"]);
});

test.each([
  ["a changed port replaces only the gateway", { consolePort: 32_001 }, ["routeql-gateway"]],
  ["another allowed origin replaces no container", { corsOrigins: "https://app.example.net" }, []],
])("%s", async (_title, change, replaced) => {
  const keys = { engineAccessKey: randomBytes(20).toString("hex"), serviceApiKey: randomBytes(20).toString("hex") };
  const [before, after] = [await deploy(keys), await deploy({ ...keys, ...change })];
  const changed = after.resources.filter(({ type, name, inputs }) => {
    if (type !== container || name.endsWith("-files")) return false;
    return JSON.stringify(inputs) !== JSON.stringify(find(before.resources, type, name).inputs);
  });
  expect(changed.map(({ name }) => name)).toEqual(replaced);
});

test.each(["dev", "prod", "local"])(
  "in another program the stack's name %s chooses no engine, images or target",
  async (stack) => {
    const inOther = (name: string) =>
      recordStack(() => void new RouteQL("routes", {}), { stack: name, project: "of-another-team" });
    const types = (resources: Awaited<ReturnType<typeof inOther>>) =>
      resources.map(({ type, name }) => `${type} ${name}`);
    expect(types(await inOther(stack))).toEqual(types(await inOther("staging")));
  },
);

/** Names of the resources with an option, after Pulumi's transformations. */
async function madeWith(
  option: "protect" | "retainOnDelete",
  protectData: boolean,
  settings: GivenInputs = {},
): Promise<string[]> {
  const names: string[] = [];
  await recordStack(() => {
    const transformation = ({ name, opts }: ResourceTransformationArgs): undefined => {
      if (opts[option] === true) names.push(name);
    };
    return void new RouteQL("routeql", grouped(settings), { protectData, transformations: [transformation] });
  });
  return names.toSorted();
}

test("a destroy keeps the data volumes, unless they are protected instead", async () => {
  expect(await madeWith("retainOnDelete", false)).toEqual(["routeql-database-data", "routeql-sessions-data"]);
  expect(await madeWith("retainOnDelete", true)).toEqual([]);
});

test("`protectData` protects the data volumes and their secrets", async () => {
  expect(await madeWith("protect", false)).toEqual([]);
  expect(await madeWith("protect", true)).toEqual(
    [
      "admin-password",
      "database-data",
      "key-encryption-key",
      "key-encryption-key-0",
      "sessions-data",
      "state-identity",
    ].map((part) => `routeql-${part}`),
  );
});

test("the passwords of the exporter and the feed are outputs while these services are on", async () => {
  const { component } = await deploy({ monitoring: "stack" });
  expect(await value(component.databasePasswords)).toMatchObject({
    monitor: expect.stringMatching(/./) as string,
    feed: "",
  });
});

test("`protectData` lets an update switch the monitoring off", async () => {
  const monitored = { monitoring: "stack" };
  expect(await madeWith("protect", true, monitored)).toEqual(await madeWith("protect", true));
  expect(await madeWith("retainOnDelete", false, monitored)).toContain("routeql-prometheus-data");
});

test("data volumes and networks keep their labels, because a new label would replace them", async () => {
  const ignored: string[] = [];
  const created: string[] = [];
  await recordStack(() => {
    const transformation = ({ type, name, opts }: ResourceTransformationArgs): undefined => {
      if (/^docker:index.(volume|network):/.test(type) && !name.endsWith("-files")) created.push(name);
      if ((opts as CustomResourceOptions).ignoreChanges?.includes("labels")) ignored.push(name);
    };
    return void new RouteQL("routeql", {}, { transformations: [transformation] });
  });
  expect(created).toContain("routeql-database-data");
  expect(ignored.toSorted()).toEqual(created.toSorted());
});

test.each([
  ["docker", "0123456789abcdef"],
  ["kubernetes", "0123456789abcdef"],
])("every object on %s carries the identity of the state", async (target, stateIdentity) => {
  const made = await recordStack(() => void new RouteQL("routeql", { target }, { stateIdentity }));
  const objects = made.filter(({ type }) =>
    /^(docker:index\/(container|network|volume)|kubernetes:(?!index|storage))/.test(type),
  );
  expect(objects.length).toBeGreaterThan(20);
  for (const { name, inputs } of objects)
    expect(JSON.stringify(inputs), name).toMatch(/com\.routeql\.state(":|","value":)"0123456789abcdef"/);
});

test("services are replaced, not updated, when their health check changes", async () => {
  const replaced: string[] = [];
  await recordStack(() => {
    const transformation = ({ name, opts }: ResourceTransformationArgs): undefined => {
      if ((opts as CustomResourceOptions).replaceOnChanges?.includes("healthcheck")) replaced.push(name);
    };
    return void new RouteQL("routeql", {}, { transformations: [transformation] });
  });
  expect(replaced).toEqual(
    expect.arrayContaining(
      ["auth-sidecar", "database", "engine", "gateway", "sessions"].map((part) => `routeql-${part}`),
    ),
  );
});

test("invalid arguments fail before any resource is registered", async () => {
  await expect(deploy({ httpPort: 0, logLevel: "loud" })).rejects.toThrow(
    /2 settings are wrong:\n {2}gateway\.httpPort .*\n {2}logLevel /,
  );
});
