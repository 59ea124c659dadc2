import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { database } from "../e2e/support/stack/database.ts";
import { hasFront } from "../e2e/support/stack/engine-of-the-run.ts";
import { keepDrill } from "../harness/figures/drills.ts";
import { apiPort, nodeName, secondNodeName } from "../kubernetes-node/layout.ts";
import { SecondNode } from "../kubernetes-node/second-node.ts";
import { Balancer } from "./support/balancer.ts";
import { Clients } from "./support/clients.ts";
import { node } from "./support/node.ts";
import { makeProbes, removeProbes, tryFrom } from "./support/probes.ts";
import { namespace } from "./support/stack.ts";

interface Pods {
  readonly items: readonly {
    readonly metadata: { readonly labels: Readonly<Record<string, string>>; readonly deletionTimestamp?: string };
    readonly spec: { readonly nodeName: string; readonly containers: readonly { readonly image: string }[] };
    readonly status: { readonly podIP: string };
  }[];
}

const deployments = ["auth-sidecar", "engine", ...(hasFront ? ["front"] : []), "gateway"];
const kubeletPort = 10_250;

async function runningPods(): Promise<Pods["items"]> {
  const { items } = await node.get<Pods>(
    "pods",
    `--namespace=${namespace}`,
    "--selector=probe!=true",
    "--field-selector=status.phase=Running",
  );
  return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

const podsOf = async (service: string): Promise<Pods["items"]> =>
  (await runningPods()).filter(({ metadata }) => metadata.labels["app.kubernetes.io/name"] === service);

const nodesOf = async (service: string): Promise<string[]> =>
  (await podsOf(service)).map(({ spec }) => spec.nodeName).toSorted();

async function complete(): Promise<void> {
  const workloads = [
    "statefulset/database",
    "statefulset/sessions",
    ...deployments.map((name) => `deployment/${name}`),
  ];
  for (const workload of workloads)
    await node.kubectl(["rollout", "status", workload, `--namespace=${namespace}`, "--timeout=240s"]);
}

/** The command of docs/operate/kubernetes.md. */
const drain = (name: string): Promise<string> =>
  node.kubectl(["drain", name, "--ignore-daemonsets", "--delete-emptydir-data"]);

/** Seconds until the database must answer on the other node, on a machine with other load. */
const movedWithin = 240;

let second: SecondNode | undefined;
beforeAll(async () => {
  const images = (await runningPods()).flatMap(({ spec }) => spec.containers.map(({ image }) => image));
  second = await SecondNode.join(node, [...new Set(images)]);
}, 300_000);

afterAll(async () => {
  // Without a second node the error of its start is the cause to report.
  if (second === undefined) return;
  await node.kubectl(["uncordon", nodeName]);
  await drain(secondNodeName);
  await complete();
  await second[Symbol.asyncDispose]();
}, 600_000);

test("the replicas of each service spread over both nodes", { timeout: 600_000 }, async () => {
  for (const name of deployments) {
    await node.kubectl(["rollout", "restart", `deployment/${name}`, `--namespace=${namespace}`]);
    await node.kubectl(["rollout", "status", `deployment/${name}`, `--namespace=${namespace}`, "--timeout=240s"]);
    expect(await nodesOf(name), name).toEqual([nodeName, secondNodeName]);
  }
});

test("policies hold between pods and nodes of two nodes", { timeout: 240_000 }, async () => {
  onTestFinished(removeProbes, 60_000);
  await makeProbes(["gateway", "engine"], secondNodeName);
  const databasePod = (await podsOf("database"))[0]!;
  expect(databasePod.spec.nodeName).toBe(nodeName);
  const toDatabase = { host: databasePod.status.podIP, port: 5432 };
  const toNodes = [node.address, second!.address].flatMap((host) =>
    [apiPort, kubeletPort].map((port) => ({ host, port })),
  );
  const outcomes = async (service: string) => tryFrom(service, [toDatabase, ...toNodes]);
  const forbidden = toNodes.map(() => "forbidden");
  expect(await outcomes("engine")).toEqual(["connected", ...forbidden]);
  expect(await outcomes("gateway")).toEqual(["forbidden", ...forbidden]);
});

test("a drained node's pods move with their data, and clients get answers", { timeout: 900_000 }, async () => {
  const owner = await database("owner");
  await owner.query("insert into auth.organisations (id, name) values ('moved', 'moved') on conflict do nothing");
  const balancer = new Balancer({ [nodeName]: node.address, [secondNodeName]: second!.address });
  onTestFinished(() => balancer.end());
  const clients = new Clients(200, () => balancer.address);
  await drain(nodeName);
  await complete();
  const completed = Date.now();
  await expect.poll(() => clients.allAnsweredAt, { timeout: 30_000 }).toBeGreaterThan(completed);
  const { lost } = await clients.end();
  for (const service of ["database", "sessions", ...deployments])
    expect(new Set(await nodesOf(service)), service).toEqual(new Set([secondNodeName]));
  // The database moves: requests get this project's own error meanwhile, and no connection is refused.
  for (const { why } of lost) expect(why).toMatch(/^(503|200) \{/);
  const seconds = lost.length === 0 ? 0 : Math.round((lost.at(-1)!.at - lost[0]!.at) / 1000);
  keepDrill("Kubernetes", "drain a node with the database", `503 for ${seconds} s`);
  expect(seconds).toBeLessThan(movedWithin);
  const { rows } = await (await database("owner")).query("select id from auth.organisations where id = 'moved'");
  expect(rows).toEqual([{ id: "moved" }]);
});
