/**
 * One node and one stack on it for the whole suite, both removed afterwards. With ROUTEQL_TEST_NODE the node is a running one
 * (tests/kubernetes-node/main.ts starts one), and the stack stays on it, so that a single file can be repeated.
 */
import { readFile, rm } from "node:fs/promises";
import type { TestProject } from "vitest/node";
import { explain } from "@routeql/host/failure";
import { stackPaths } from "@routeql/host/paths";
import { describeStack } from "../../e2e/support/stack/describe-stack.ts";
import { NodeAccess, type NodeDescription } from "../../kubernetes-node/access.ts";
import { KubernetesNode } from "../../kubernetes-node/node.ts";
import { stackName, up } from "./stack.ts";

declare module "vitest" {
  interface ProvidedContext {
    node: NodeDescription;
  }
}

const say = (text: string): void => console.log(text);

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env["ROUTEQL_TEST_NODE"];
  if (given !== undefined) {
    await bringUpOn(new NodeAccess(JSON.parse(await readFile(given, "utf8")) as NodeDescription), project);
    return () => Promise.resolve();
  }
  const node = await KubernetesNode.start({ say, onLine: () => undefined, signal: new AbortController().signal }).catch(
    (error: unknown) => {
      throw new Error(`No Kubernetes node can run on this machine, so nothing of this suite can. ${explain(error)}`, {
        cause: error,
      });
    },
  );
  const end = async (): Promise<void> => {
    await node.keepPodLogs();
    await node[Symbol.asyncDispose]();
    // The objects of the state were deleted with the node.
    await rm(stackPaths(stackName).folder, { recursive: true, force: true });
  };
  try {
    await rm(stackPaths(stackName).folder, { recursive: true, force: true });
    await bringUpOn(node.access, project);
  } catch (error) {
    await end();
    throw error;
  }
  return end;
}

async function bringUpOn(node: NodeAccess, project: TestProject): Promise<void> {
  // Workers inherit it: every program of the suite uses this cluster and no other.
  process.env["KUBECONFIG"] = node.kubeconfig;
  await up(node, say);
  project.provide("node", node.description);
  project.provide("stack", await describeStack(stackPaths(stackName).accessFile));
}
