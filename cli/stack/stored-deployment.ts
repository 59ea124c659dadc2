import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { StackPaths } from "@routeql/host/paths";
import { projectName } from "./configuration.ts";

/** The part of a resource in the state (apitype.ResourceV3) that is looked at here. */
export interface StateResource {
  readonly urn: string;
  /** URNs of what it needs. */
  readonly dependencies?: readonly string[];
  readonly type: string;
  readonly id?: string;
  readonly outputs?: Readonly<Record<string, unknown>>;
  /** Why it is there, but not as it should be. */
  readonly initErrors?: readonly string[];
}

export interface Deployment {
  readonly resources?: readonly StateResource[];
  readonly pending_operations?: readonly { readonly resource: StateResource; readonly type: string }[];
}

interface Checkpoint {
  readonly checkpoint?: { readonly latest?: Deployment | null };
}

/** What the state in this checkout holds, read from its file: without the Pulumi CLI, and with the secrets encrypted. */
export async function storedDeployment({ state }: StackPaths, stack: string): Promise<Deployment> {
  const text = await readFile(join(state, ".pulumi/stacks", projectName, `${stack}.json`), "utf8").catch(() => "{}");
  return (JSON.parse(text) as Checkpoint).checkpoint?.latest ?? {};
}
