import { afterAll, expect, test } from "vitest";
import { nodeName } from "../kubernetes-node/layout.ts";
import { hasFront } from "../e2e/support/stack/engine-of-the-run.ts";
import { Clients } from "./support/clients.ts";
import { node } from "./support/node.ts";
import { labelsOf } from "./support/probes.ts";
import { namespace } from "./support/stack.ts";

interface Pod {
  readonly metadata: { readonly name: string; readonly deletionTimestamp?: string };
}

const podsOf = async (service: string): Promise<string[]> => {
  const selector = Object.entries(labelsOf(service)).map(([key, value]) => `${key}=${value}`);
  const { items } = await node.get<{ items: Pod[] }>(
    "pods",
    `--namespace=${namespace}`,
    `--selector=${selector.join(",")},!probe`,
  );
  return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined).map(({ metadata }) => metadata.name);
};

/** Requests the eviction of one pod like a drain; returns the reason if a budget forbids it. */
async function evict(pod: string): Promise<string | undefined> {
  const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: pod, namespace } };
  try {
    await node.kubectl(
      ["create", "--raw", `/api/v1/namespaces/${namespace}/pods/${pod}/eviction`, "--filename=-"],
      JSON.stringify(eviction),
    );
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

afterAll(() => node.kubectl(["uncordon", nodeName]));

test("a drain evicts only one pod of each service, so clients lose no request", { timeout: 400_000 }, async () => {
  await node.kubectl(["cordon", nodeName]);
  const clients = new Clients();
  const services = ["gateway", ...(hasFront ? ["front"] : []), "engine", "auth-sidecar"];
  for (const service of services) {
    const [first = "", second = ""] = await podsOf(service);
    expect(await evict(first), service).toBeUndefined();
    expect(await evict(second), service).toContain("Cannot evict pod as it would violate the pod's disruption budget");
  }
  await node.kubectl(["uncordon", nodeName]);
  for (const service of services)
    await node.kubectl(["rollout", "status", `deployment/${service}`, `--namespace=${namespace}`, "--timeout=180s"]);
  const { answered, lost } = await clients.end();
  expect(lost).toEqual([]);
  expect(answered).toBeGreaterThan(20);
});
