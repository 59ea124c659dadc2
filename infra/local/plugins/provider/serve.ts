import * as pulumi from "@pulumi/pulumi";
import type { AnyResourceKind } from "./resource-kind.ts";
import { makeProvider } from "./provider.ts";

/** Serves the kinds to the engine that started this process; its address is the last argument. */
export function serve(name: string, version: string, kinds: Readonly<Record<string, AnyResourceKind>>): Promise<void> {
  return pulumi.provider.main(makeProvider(name, version, kinds), process.argv.slice(2));
}
