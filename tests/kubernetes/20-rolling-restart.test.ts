import { expect, test } from "vitest";
import { keepDrill } from "../harness/figures/drills.ts";
import { hasFront } from "../e2e/support/stack/engine-of-the-run.ts";
import { Clients } from "./support/clients.ts";
import { node } from "./support/node.ts";
import { namespace } from "./support/stack.ts";

interface Deployment {
  readonly spec: { readonly replicas: number };
  readonly metadata: { readonly name: string };
}

test("a rolling restart of each Deployment while clients work loses no request", { timeout: 600_000 }, async () => {
  const { items } = await node.get<{ items: Deployment[] }>("deployments", `--namespace=${namespace}`);
  expect(items.map(({ metadata }) => metadata.name).toSorted()).toEqual([
    "auth-sidecar",
    "engine",
    ...(hasFront ? ["front"] : []),
    "gateway",
  ]);
  for (const { metadata } of items) {
    const selector = `--selector=app.kubernetes.io/name=${metadata.name},!probe`;
    const before = await node.kubectl(["get", "pods", `--namespace=${namespace}`, selector, "--output=name"]);
    const clients = new Clients();
    await node.kubectl(["rollout", "restart", `deployment/${metadata.name}`, `--namespace=${namespace}`]);
    await node.kubectl([
      "rollout",
      "status",
      `deployment/${metadata.name}`,
      `--namespace=${namespace}`,
      "--timeout=180s",
    ]);
    // The last old pod still serves while it drains.
    await node.kubectl([
      "wait",
      ...before.trim().split("\n"),
      `--namespace=${namespace}`,
      "--for=delete",
      "--timeout=180s",
    ]);
    const { answered, lost } = await clients.end();
    keepDrill("Kubernetes", `restart ${metadata.name}`, `${lost.length} of ${answered + lost.length} requests failed`);
    expect(lost, `restart of ${metadata.name}`).toEqual([]);
    expect(answered, `restart of ${metadata.name}`).toBeGreaterThan(20);
  }
});
