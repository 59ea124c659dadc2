import { flushCompileCache } from "node:module";
import type { provider as pulumi } from "@pulumi/pulumi";
// Not from the package's front, which also loads npm's and TypeScript's machinery: a third of a second for each plugin.
import { main } from "@pulumi/pulumi/provider/index.js";
import { endWithEngine } from "./end-with-engine.ts";
import type { AnyResourceKind } from "./resource-kind.ts";
import { makeProvider } from "./provider.ts";

/** Serves a provider to the engine that started this process, for as long as it runs; its address is the last argument. */
export async function serveProvider(provider: pulumi.Provider): Promise<void> {
  endWithEngine();
  await main(provider, process.argv.slice(2));
  // The engine does not let its plugins end in order, which is when Node would write it.
  flushCompileCache();
}

/** Serves resource kinds as {@link serveProvider} does. */
export const serve = (name: string, version: string, kinds: Readonly<Record<string, AnyResourceKind>>): Promise<void> =>
  serveProvider(makeProvider(name, version, kinds));
