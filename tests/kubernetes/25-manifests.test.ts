import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent, fetch, type Response } from "undici";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readConfiguration } from "@routeql/cli/configuration/configuration";
import { renderStack } from "@routeql/infra/rendering/render-stack";
import { hasFront } from "../e2e/support/engine-of-the-run.ts";
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

test("one changed setting of the rendered folder changes its service only", { timeout: 400_000 }, async () => {
  const [password, before] = [await secretOf("admin-password"), await generations()];
  await apply({ loginAttemptsPerAccount: "7" });
  const after = await generations();
  expect(Object.keys(after).filter((name) => after[name] !== before[name])).toEqual(["Deployment/auth-sidecar"]);
  await complete();
  expect(await secretOf("admin-password")).toBe(password);
  expect(await logIn()).toBe(200);
});

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
    const rotated = new AbortController();
    const statuses = new Map<number, number>();
    const client = (async () => {
      while (!rotated.signal.aborted) {
        const { status } = await ask("graphql", headers, { query: "{ view_hijacks(limit: 1) { key } }" });
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    })();
    try {
      await apply({ databasePasswordsGeneration: "2", sessionsPasswordGeneration: "2", serviceApiKeyGeneration: "2" });
      await complete();
    } finally {
      rotated.abort();
      await client;
    }
    expect([...statuses.keys()]).toEqual([200]);
    expect(await podsWithData()).toBe(before);
    expect(await logIn("service-api-key-2")).toBe(200);
  },
);
