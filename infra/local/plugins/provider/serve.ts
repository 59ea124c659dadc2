import * as pulumi from "@pulumi/pulumi";
import { endWithEngine } from "./end-with-engine.ts";
import type { AnyResourceKind } from "./resource-kind.ts";
import { makeProvider } from "./provider.ts";

/** Serves the kinds to the engine that started this process, for as long as it runs; its address is the last argument. */
export function serve(name: string, version: string, kinds: Readonly<Record<string, AnyResourceKind>>): Promise<void> {
  endWithEngine();
  return pulumi.provider.main(makeProvider(name, version, kinds), process.argv.slice(2));
}
