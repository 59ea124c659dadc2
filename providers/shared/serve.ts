import { flushCompileCache } from "node:module";
import type { provider as pulumi } from "@pulumi/pulumi";
// Not from the package's front, which also loads npm's and TypeScript's machinery: a third of a second for each plugin.
import { main } from "@pulumi/pulumi/provider/index.js";
import { endWithEngine, startedByEngine } from "./end-with-engine.ts";

/** Serves a provider for as long as its engine runs, and prints the port; the last argument is the address of the engine that started this process. */
export async function serveProvider(provider: pulumi.Provider, engineRuns: () => boolean = startedByEngine()): Promise<void> {
  endWithEngine(engineRuns);
  await main(provider, process.argv.slice(2));
  // The engine does not let its plugins end in order, which is when Node would write it.
  flushCompileCache();
}
