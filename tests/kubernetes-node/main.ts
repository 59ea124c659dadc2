/** A node for manual tests, until Ctrl-C. The suite uses it if ROUTEQL_TEST_NODE names the printed file. */
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { explain } from "@routeql/host/failure";
import { KubernetesNode } from "./node.ts";

const interrupted = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => interrupted.abort(new Error(signal)));

try {
  const say = (text: string): void => console.log(text);
  await using node = await KubernetesNode.start({ say, onLine: () => undefined, signal: interrupted.signal });
  const file = node.access.layout.file("node.json");
  await writeFile(file, JSON.stringify(node.access.description), { mode: 0o600 });
  say(`\nThe node runs. KUBECONFIG=${node.access.kubeconfig}\nROUTEQL_TEST_NODE=${file}\nCtrl-C ends it.`);
  // Keeps the process alive while it waits for a signal.
  const alive = setInterval(() => undefined, 60_000);
  if (!interrupted.signal.aborted) await once(interrupted.signal, "abort");
  clearInterval(alive);
} catch (error) {
  console.error(`\n${explain(error)}`);
  process.exitCode = 1;
}
