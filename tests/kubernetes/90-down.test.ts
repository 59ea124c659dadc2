import { afterAll, expect, test } from "vitest";
import { down, namespace, stackName, up } from "./support/stack.ts";
import { node } from "./support/node.ts";
import { actWithRights } from "./support/rights.ts";
import { bringDown } from "../harness/stack/commands.ts";

interface Named {
  readonly items: readonly { readonly kind: string; readonly metadata: { readonly name: string } }[];
}

const kinds = [
  "deployments",
  "statefulsets",
  "jobs",
  "pods",
  "services",
  "configmaps",
  "secrets",
  "networkpolicies",
  "poddisruptionbudgets",
  "horizontalpodautoscalers",
];

/** Objects of the stack in all namespaces. */
async function left(...more: string[]): Promise<string[]> {
  const { items } = await node.get<Named>(
    [...kinds, ...more].join(","),
    "--all-namespaces",
    `--selector=app.kubernetes.io/instance=${namespace}`,
  );
  return items.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
}

// After a failure the next run of a single file still finds a running stack.
afterAll(async () => {
  if (process.env["ROUTEQL_TEST_NODE"] !== undefined) await up(node);
}, 600_000);

test(
  "npm run down keeps the data, --volumes deletes all, up works again, with up-cluster.yaml",
  { timeout: 900_000 },
  async () => {
    await using _ = await actWithRights("up-cluster.yaml", namespace);
    const kept = await bringDown({ stack: stackName });
    expect(kept).toMatchObject({ keptVolumes: ["data-database-0", "data-sessions-0"], secretsKept: true });
    expect(await left()).toEqual([]);
    expect(await left("persistentvolumeclaims")).toHaveLength(2);

    const gone = await down();
    expect(gone.removedVolumes).toEqual(["data-database-0", "data-sessions-0"]);
    expect(await left("persistentvolumeclaims", "namespaces")).toEqual([]);
    expect(await node.kubectl(["get", "namespace", namespace, "--ignore-not-found"])).toBe("");

    await up(node);
    await down();
    expect(await left("persistentvolumeclaims", "namespaces")).toEqual([]);
  },
);
