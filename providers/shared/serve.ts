import { flushCompileCache } from "node:module";
import type { provider as pulumi } from "@pulumi/pulumi";
import { main } from "@pulumi/pulumi/provider/index.js";

/** Milliseconds between checks that the engine still runs. */
const watchInterval = 1000;

/** Whether the engine that started this process still runs. */
export function startedByEngine(): () => boolean {
  const engine = process.ppid;
  return () => process.ppid === engine;
}

/** Exits this plugin when its engine has exited: a killed engine cannot stop its plugins. */
function endWithEngine(engineRuns: () => boolean): void {
  setInterval(() => {
    if (!engineRuns()) process.exit(1);
  }, watchInterval).unref();
}

// Not the package's main entry, which also loads npm's and TypeScript's code: a third of a second for each plugin.

/** Serves a provider as long as its engine runs, and prints the port. The last argument is the address of the engine that started this process. */
export async function serveProvider(
  provider: pulumi.Provider,
  engineRuns: () => boolean = startedByEngine(),
): Promise<void> {
  endWithEngine(engineRuns);
  await main(provider, process.argv.slice(2));
  // Node writes it at exit, but the engine kills its plugins.
  flushCompileCache();
}
