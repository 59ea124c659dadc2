import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent, fetch, type Response } from "undici";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { readConfiguration } from "@routeql/cli/configuration/configuration";
import { renderStack } from "@routeql/infra/rendering/render-stack";
import { hasFront } from "../e2e/support/stack/engine-of-the-run.ts";
import { makeCertificate } from "../harness/certificate.ts";
import { node } from "./support/node.ts";
import { grantRights } from "./support/rights.ts";
import { namespace as suiteNamespace, stackSettings } from "./support/stack.ts";

/** Has exactly the rights of docs/operate/rights/render.yaml. */
const renderer = "renderer";

/** A stack of manifests beside the suite's stack, which has the same images. */
const name = "manifests";
const namespace = `routeql-${name}`;
const settings = {
  ...stackSettings(node),
  metadata: "docs/start/desk/metadata",
  migrations: "docs/start/desk/migrations",
  httpPort: "30081",
  httpsPort: "30444",
  consolePort: "32001",
  ...Object.fromEntries(
    ["gateway", "engine", "sidecar"].flatMap((one) =>
      [`${one}Replicas`, `${one}ReplicasMost`].map((key) => [key, "1"]),
    ),
  ),
};
const certificate = await makeCertificate("ecdsa", node.address);

const deployments = ["auth-sidecar", "engine", ...(hasFront ? ["front"] : []), "gateway"];

/** A node with two processors has room for a second stack only beside single pods of the first, and with Hasura and the front beside none. */
async function scaleSuite(replicas: number): Promise<void> {
  const names = deployments.map((deployment) => `deployment/${deployment}`);
  await node.kubectl(["scale", ...names, `--replicas=${replicas}`, `--namespace=${suiteNamespace}`]);
  for (const name of names)
    await node.kubectl(["rollout", "status", name, `--namespace=${suiteNamespace}`, "--timeout=180s"]);
}

let folder = "";
beforeAll(async () => {
  await scaleSuite(hasFront ? 0 : 1);
  folder = await mkdtemp(join(tmpdir(), "routeql-manifests-"));
  await mkdir(join(folder, "namespace"));
});
afterAll(async () => {
  await node.kubectl(["delete", "namespace", namespace, "--ignore-not-found", "--timeout=120s"]);
  await scaleSuite(2);
  await rm(folder, { recursive: true });
});

/** The images on the node by name. Their tags follow the base images that the suite's stack found. */
async function imagesOnNode(): Promise<ReadonlyMap<string, string>> {
  const kinds = await node.kubectl([
    "get",
    "deployments,statefulsets,jobs",
    `--namespace=${suiteNamespace}`,
    "-o",
    "json",
  ]);
  return new Map(
    [...kinds.matchAll(/"image": "(routeql\/([a-z-]+):[0-9a-f]{12})"/g)].map(([, image, name]) => [name!, image!]),
  );
}

/** Generation of every object that has one; only a changed specification raises it. */
async function generations(): Promise<Record<string, number>> {
  const { items } = await node.get<{ items: { kind: string; metadata: { name: string; generation?: number } }[] }>(
    "deployments,statefulsets,jobs,poddisruptionbudgets,networkpolicies",
    `--namespace=${namespace}`,
  );
  return Object.fromEntries(items.map(({ kind, metadata }) => [`${kind}/${metadata.name}`, metadata.generation ?? 0]));
}

/** Renders the stack into the folder, with the images of the node. */
async function render(more: Readonly<Record<string, string>> = {}): Promise<void> {
  const { given } = await readConfiguration(name, { ...settings, ...more });
  const { files } = await renderStack(name, given);
  const present = await imagesOnNode();
  for (const [path, content] of files)
    await writeFile(
      join(folder, path),
      content.replaceAll(/routeql\/([a-z-]+):[0-9a-f]{12}/g, (image, of: string) => present.get(of) ?? image),
    );
}

/** Renders the stack and applies the folder; returns kubectl's lines about other objects than those with a generation. */
async function apply(more: Readonly<Record<string, string>> = {}): Promise<string[]> {
  await render(more);
  const lines = (await node.kubectl(["apply", `--kustomize=${folder}`, `--as=${renderer}`])).trim().split("\n");
  return lines.filter((line) => !/^(deployment|statefulset|job|poddisruptionbudget|networkpolicy)\./.test(line));
}

async function complete(): Promise<void> {
  const scope = [`--namespace=${namespace}`, "--timeout=240s"];
  await node.kubectl(["wait", "job", "--all", "--for=condition=Complete", ...scope]);
  for (const service of deployments) await node.kubectl(["rollout", "status", `deployment/${service}`, ...scope]);
}

async function secretOf(key: string): Promise<string> {
  const { data } = await node.get<{ data: Record<string, string> }>(
    "secret",
    "generated-secrets",
    `--namespace=${namespace}`,
  );
  return Buffer.from(data[key]!, "base64").toString();
}

async function ask(path: string, headers: Readonly<Record<string, string>>, body: object): Promise<Response> {
  return fetch(`https://${node.address}:30444/api/${path}`, {
    method: "POST",
    dispatcher: new Agent({ connect: { ca: certificate.certificate } }),
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
}

async function logIn(key = "service-api-key"): Promise<number> {
  const account = { email: "admin@example.net", password: await secretOf("admin-password") };
  return (await ask("auth/login/credentials", { "x-service-api-key": await secretOf(key) }, account)).status;
}

test(
  "kubectl apply of the rendered folder brings a stack up without any value made by hand",
  { timeout: 600_000 },
  async () => {
    const pair = [
      ["tls.crt", certificate.certificate],
      ["tls.key", certificate.privateKey],
    ] as const;
    await render();
    await node.kubectl(["apply", `--kustomize=${join(folder, "namespace")}`]);
    await grantRights("render.yaml", namespace, `--user=${renderer}`);
    for (const [file, content] of pair) await writeFile(join(folder, file), content);
    await node.kubectl([
      "create",
      "secret",
      "tls",
      "gateway-certificate",
      `--namespace=${namespace}`,
      `--cert=${join(folder, "tls.crt")}`,
      `--key=${join(folder, "tls.key")}`,
    ]);
    await apply();
    await complete();
    expect(await logIn()).toBe(200);
  },
);

test("the rendered folder has the operator's migrations and metadata", async () => {
  const desk = {
    "x-engine-access-key": await secretOf("engine-access-key"),
    "x-hasura-role": "desk",
    "x-hasura-user-id": "someone",
  };
  const answer = await ask("graphql", desk, { query: "{ desk_notes { note } view_hijacks { notes { note } } }" });
  expect(await answer.json()).toEqual({ data: { desk_notes: [], view_hijacks: [] } });
});

test("a second apply of the rendered folder changes nothing", { timeout: 120_000 }, async () => {
  const before = await generations();
  expect(Object.keys(before).length).toBeGreaterThan(10);
  const lines = await apply();
  expect(lines.length).toBeGreaterThan(5);
  expect(lines.filter((line) => !line.endsWith(" unchanged"))).toEqual([]);
  expect(await generations()).toEqual(before);
});

/** Lists that a strategic merge joins by a key, so that defaults in their items are no difference (x-kubernetes-patch-merge-key). */
const joined = /^(containers|env|ports|volumes|volumeMounts|imagePullSecrets|hostAliases|topologySpreadConstraints)$/;

/** Fields that the API server added inside of a list without a merge key: Argo CD shows all but the status of claims as a difference forever. */
function addedInLists(rendered: unknown, live: unknown, path: readonly string[] = [], inList = false): string[] {
  if (Array.isArray(rendered)) {
    if (!Array.isArray(live) || live.length !== rendered.length) return [path.join(".")];
    const within = inList || !joined.test(path.at(-1)!) || !path.includes("template");
    return rendered.flatMap((item, index) => addedInLists(item, live[index], [...path, String(index)], within));
  }
  if (typeof rendered !== "object" || rendered === null) return rendered === live ? [] : [path.join(".")];
  const [given, found] = [rendered as Record<string, unknown>, (live ?? {}) as Record<string, unknown>];
  const isClaim = given["kind"] === "PersistentVolumeClaim";
  const added = inList ? Object.keys(found).filter((key) => !(key in given || (isClaim && key === "status"))) : [];
  return [
    ...added.map((key) => [...path, key].join(".")),
    ...Object.keys(given).flatMap((key) => addedInLists(given[key], found[key], [...path, key], inList)),
  ];
}

test("Argo CD and Flux see no difference after an apply", { timeout: 120_000 }, async () => {
  // Flux compares by a server-side apply without effect.
  expect(await node.kubectl(["diff", "--server-side", "--force-conflicts", `--kustomize=${folder}`])).toBe("");
  const paths = (await readdir(folder)).filter((path) => /^\d\d-.*\.yaml$/.test(path));
  const rendered = (await Promise.all(paths.map((path) => readFile(join(folder, path), "utf8")))).flatMap((text) =>
    parseAllDocuments(text).map((document) => document.toJS() as { kind: string; metadata: { name: string } }),
  );
  expect(rendered.length).toBeGreaterThan(20);
  for (const object of rendered) {
    const { kind, metadata } = object;
    const live = await node.get<object>(kind, metadata.name, `--namespace=${namespace}`);
    expect(addedInLists(object, live), `${kind} ${metadata.name}`).toEqual([]);
  }
});

test("one changed setting of the rendered folder changes its service only", { timeout: 400_000 }, async () => {
  const [password, before] = [await secretOf("admin-password"), await generations()];
  await apply({ loginAttemptsPerAccount: "7" });
  const after = await generations();
  expect(Object.keys(after).filter((name) => after[name] !== before[name])).toEqual(["Deployment/auth-sidecar"]);
  await complete();
  expect(await secretOf("admin-password")).toBe(password);
  expect(await logIn()).toBe(200);
});

/** All statuses of requests, one after the other, during a change. */
async function whileClientsWork(request: () => Promise<number>, change: () => Promise<void>): Promise<number[]> {
  const changed = new AbortController();
  const statuses = new Set<number>();
  const client = (async () => {
    while (!changed.signal.aborted) statuses.add(await request());
  })();
  try {
    await change();
  } finally {
    changed.abort();
    await client;
  }
  return [...statuses];
}

test(
  "a rotation of the rendered folder refuses no query and restarts no pod with data",
  { timeout: 400_000 },
  async () => {
    const key = await secretOf("engine-access-key");
    const headers = { "x-engine-access-key": key };
    const podsWithData = (): Promise<string> =>
      node.kubectl([
        "get",
        "pods",
        "database-0",
        "sessions-0",
        `--namespace=${namespace}`,
        "--output=jsonpath={.items[*].metadata.uid} {.items[*].status.containerStatuses[*].restartCount}",
      ]);
    const before = await podsWithData();
    const query = async (): Promise<number> =>
      (await ask("graphql", headers, { query: "{ view_hijacks(limit: 1) { key } }" })).status;
    const statuses = await whileClientsWork(query, async () => {
      await apply({ databasePasswordsGeneration: "2", sessionsPasswordGeneration: "2", serviceApiKeyGeneration: "2" });
      await complete();
    });
    expect(statuses).toEqual([200]);
    expect(await podsWithData()).toBe(before);
    expect(await logIn("service-api-key-2")).toBe(200);
  },
);

test(
  "a changed given secret reaches the pods by its generation and refuses no login",
  { timeout: 400_000 },
  async () => {
    const generations = {
      databasePasswordsGeneration: "2",
      sessionsPasswordGeneration: "2",
      serviceApiKeyGeneration: "2",
      engineAccessKey: "a-value-that-only-given-secrets-knows",
    };
    const [former, next] = ["a-former-key-of-the-owner-of-this-stack", "the-next-key-of-the-owner-of-this-stack"];
    const give = (key: string): Promise<void> =>
      node.apply([
        {
          apiVersion: "v1",
          kind: "Secret",
          metadata: { name: "given-secrets", namespace },
          stringData: { engineAccessKey: key },
        },
      ]);
    const accepts = async (key: string): Promise<boolean> => {
      const answer = await ask(
        "graphql",
        { "x-engine-access-key": key },
        { query: "{ view_hijacks(limit: 1) { key } }" },
      );
      return Object.hasOwn((await answer.json()) as object, "data");
    };
    await give(former);
    await apply(generations);
    await complete();
    // Pods with the key before still answer while they drain.
    await expect.poll(() => accepts(former), { timeout: 120_000, interval: 1000 }).toBe(true);
    await give(next);
    const statuses = await whileClientsWork(
      () => logIn("service-api-key-2"),
      async () => {
        await apply({ ...generations, givenSecretsGeneration: "2" });
        await complete();
      },
    );
    expect(statuses).toEqual([200]);
    await expect.poll(() => accepts(next), { timeout: 120_000, interval: 1000 }).toBe(true);
    await expect.poll(() => accepts(former), { timeout: 120_000, interval: 1000 }).toBe(false);
  },
);

test(
  "the page's deletion keeps the database and leaves no job or file of earlier releases",
  { timeout: 240_000 },
  async () => {
    const other = "app.kubernetes.io/name!=database";
    const scope = `--namespace=${namespace}`;
    await node.kubectl(["delete", `--kustomize=${folder}`, `--selector=${other}`, "--timeout=180s"]);
    await node.kubectl([
      "delete",
      "jobs,configmaps",
      scope,
      `--selector=app.kubernetes.io/instance=${namespace},${other}`,
    ]);
    const namesOf = async (kinds: string, ...selector: string[]): Promise<string[]> =>
      (await node.kubectl(["get", kinds, scope, ...selector, "--output=name"]))
        .split("\n")
        .filter((name) => name !== "");
    const left = await namesOf(
      "jobs,configmaps,deployments,statefulsets,services,networkpolicies,poddisruptionbudgets,serviceaccounts",
      `--selector=app.kubernetes.io/instance=${namespace}`,
    );
    expect(left.toSorted()).toEqual([
      "networkpolicy.networking.k8s.io/database",
      "service/database",
      "statefulset.apps/database",
    ]);
    expect(await namesOf("secrets")).toEqual(
      expect.arrayContaining(["secret/generated-secrets", "secret/given-secrets"]),
    );
    expect((await namesOf("persistentvolumeclaims")).length).toBe(2);
    expect(
      (await node.get<{ status: { readyReplicas: number } }>("statefulset", "database", scope)).status.readyReplicas,
    ).toBe(1);
  },
);
