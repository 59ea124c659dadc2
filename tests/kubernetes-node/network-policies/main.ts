/** Enforces NetworkPolicies on the test node, whose CNI plugins do not: each change becomes nftables rules at once. */
import { spawn } from "node:child_process";
import {
  CoreV1Api,
  type Informer,
  KubeConfig,
  type KubernetesObject,
  makeInformer,
  NetworkingV1Api,
  type ObjectCache,
  type V1Namespace,
  type V1NetworkPolicy,
  type V1Pod,
} from "@kubernetes/client-node";
import { setTimeout as sleep } from "node:timers/promises";
import { ruleset } from "./rules.ts";

const config = new KubeConfig();
config.loadFromFile(process.argv[2] ?? "");
const core = config.makeApiClient(CoreV1Api);
const networking = config.makeApiClient(NetworkingV1Api);

const namespaces = makeInformer<V1Namespace>(config, "/api/v1/namespaces", () => core.listNamespace());
const pods = makeInformer<V1Pod>(config, "/api/v1/pods", () => core.listPodForAllNamespaces());
const policies = makeInformer<V1NetworkPolicy>(config, "/apis/networking.k8s.io/v1/networkpolicies", () =>
  networking.listNetworkPolicyForAllNamespaces(),
);

let applied = "";
let working = false;
let again = false;

function nft(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn("nft", ["-f", "-"], { stdio: ["pipe", "inherit", "inherit"] });
    child.once("error", reject);
    child.once("exit", (code) => (code === 0 ? resolve() : reject(new Error(`nft ended with ${code} for:\n${text}`))));
    child.stdin.end(text);
  });
}

async function apply(): Promise<void> {
  again = true;
  if (working) return;
  working = true;
  while (again) {
    again = false;
    const text = ruleset({ namespaces: namespaces.list(), pods: pods.list(), policies: policies.list() });
    if (text !== applied) await nft(text);
    applied = text;
  }
  working = false;
}

/** A failure ends this process, and with it the node: tests without enforced policies would prove nothing. */
function fail(error: unknown): never {
  console.error(error);
  process.exit(1);
}

/** A watch ends now and then; listing again recovers missed events. */
async function startAgain(informer: { start(): Promise<void> }): Promise<void> {
  try {
    await sleep(200);
    await informer.start();
  } catch (error) {
    fail(error);
  }
}

async function follow<T extends KubernetesObject>(informer: Informer<T> & ObjectCache<T>): Promise<void> {
  for (const event of ["add", "update", "delete"] as const) informer.on(event, () => void apply().catch(fail));
  informer.on("error", (error: unknown) => {
    console.error(error);
    void startAgain(informer);
  });
  await informer.start();
}

await Promise.all([follow(namespaces), follow(pods), follow(policies)]);
await apply();
console.log("policies are enforced");
