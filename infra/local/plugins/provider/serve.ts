// Not from the package's front, which also loads npm's and TypeScript's machinery: a third of a second for each plugin.
import { main } from "@pulumi/pulumi/provider/index.js";
import { endWithEngine } from "./end-with-engine.ts";
import type { AnyResourceKind } from "./resource-kind.ts";
import { makeProvider } from "./provider.ts";

/** Serves the kinds to the engine that started this process, for as long as it runs; its address is the last argument. */
export function serve(name: string, version: string, kinds: Readonly<Record<string, AnyResourceKind>>): Promise<void> {
  endWithEngine();
  return main(makeProvider(name, version, kinds), process.argv.slice(2));
}
