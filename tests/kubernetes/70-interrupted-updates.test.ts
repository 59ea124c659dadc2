import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { administrator, login } from "../e2e/support/clients/sessions.ts";
import { node } from "./support/node.ts";
import { namespace, up } from "./support/stack.ts";

/** Updates that end at a random moment. A release check runs 40 (README.md). */
const rounds = Number(process.env["ROUTEQL_INTERRUPTED_UPDATES"] ?? 2);
/** Longest time until the end of an update, in milliseconds: about its duration. */
const longest = 25_000;

interface Source {
  readonly configMap?: { readonly name: string };
  readonly secret?: { readonly name: string };
}
interface Workload {
  readonly spec: {
    readonly template: { readonly spec: { readonly volumes?: readonly { projected?: { sources: Source[] } }[] } };
  };
}
interface List<Item> {
  readonly items: readonly Item[];
}

/** ConfigMaps and Secrets that a workload mounts and that do not exist. */
async function missing(): Promise<string[]> {
  const inNamespace = `--namespace=${namespace}`;
  const files = await node.get<List<{ metadata: { name: string } }>>("configmaps,secrets", inNamespace);
  const present = new Set(files.items.map(({ metadata }) => metadata.name));
  const { items } = await node.get<List<Workload>>("deployments,statefulsets,jobs", inNamespace);
  return items
    .flatMap(({ spec }) => spec.template.spec.volumes?.flatMap(({ projected }) => projected?.sources ?? []) ?? [])
    .map(({ configMap, secret }) => configMap?.name ?? secret?.name ?? "")
    .filter((name) => !present.has(name));
}

/** Deletes every pod and waits until all workloads have new ones: they read their files again. */
async function restartAll(): Promise<void> {
  const inNamespace = `--namespace=${namespace}`;
  await node.kubectl(["delete", "pods", "--all", inNamespace, "--timeout=180s"]);
  const workloads = (await node.kubectl(["get", "deployments,statefulsets", inNamespace, "--output=name"])).trim();
  for (const name of workloads.split("\n"))
    await node.kubectl(["rollout", "status", name, inNamespace, "--timeout=300s"]);
  await expect.poll(async () => (await login(administrator)).status, { timeout: 60_000, interval: 1000 }).toBe(200);
}

test(
  `${rounds} randomly interrupted updates that are undone leave a stack that restarts`,
  { timeout: 3_600_000 },
  async () => {
    // Each changes files of the gateway and the environment of the job.
    const variations = [1000, 1001, 1002].map((burst) => ({
      requestBurst: String(burst),
      adminEmail: burst === 1000 ? "admin@example.net" : `admin-${burst}@example.net`,
    }));
    for (let round = 0; round < rounds; round++) {
      // The last one is the suite's own.
      const taken = variations[round === rounds - 1 ? 0 : round % 3]!;
      const interrupted = variations[(round + 1) % 3]!;
      const moment = Math.round(Math.random() * longest);
      const end = new AbortController();
      const update = up(node, undefined, interrupted, end.signal).then(
        () => "done",
        () => "ended",
      );
      await sleep(moment);
      end.abort(new Error("Ctrl-C"));
      const outcome = await update;
      await up(node, undefined, taken);
      expect(await missing(), `round ${round}: ${outcome} after ${moment} ms`).toEqual([]);
      if (rounds > 2 || round === rounds - 1) await restartAll();
    }
  },
);
