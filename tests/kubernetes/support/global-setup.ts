/**
 * One node for the whole suite: its own, gone afterwards, or one that runs already and is named in ROUTEQL_TEST_NODE
 * (cluster/main.ts starts one).
 * @module
 */
import { readFile } from "node:fs/promises";
import type { TestProject } from "vitest/node";
import { explain } from "../../../infra/local/foundation/failure.ts";
import { cleanUp } from "../../harness/clean-up.ts";
import { runId } from "../../harness/run.ts";
import type { NodeDescription } from "../cluster/access.ts";
import { KubernetesNode } from "../cluster/node.ts";

declare module "vitest" {
  interface ProvidedContext {
    node: NodeDescription;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env["ROUTEQL_TEST_NODE"];
  if (given !== undefined) {
    project.provide("node", JSON.parse(await readFile(given, "utf8")) as NodeDescription);
    return async () => void (await cleanUp(runId));
  }
  const say = (text: string): void => console.log(text);
  const node = await KubernetesNode.start({ say, onLine: () => undefined, signal: new AbortController().signal }).catch((error: unknown) => {
    throw new Error(`No Kubernetes node can run on this machine, so nothing of this suite can. ${explain(error)}`, { cause: error });
  });
  project.provide("node", node.access.description);
  return async () => {
    await node[Symbol.asyncDispose]();
    await cleanUp(runId);
  };
}
