import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { StackPaths } from "@routeql/host/paths";
import { projectName } from "./configuration.ts";

/** The fields of a resource in the state (apitype.ResourceV3) that this code reads. */
export interface StateResource {
  readonly urn: string;
  /** URNs of its dependencies. */
  readonly dependencies?: readonly string[];
  readonly type: string;
  readonly id?: string;
  readonly outputs?: Readonly<Record<string, unknown>>;
  /** Why it exists but is not healthy. */
  readonly initErrors?: readonly string[];
}

export interface Deployment {
  readonly resources?: readonly StateResource[];
  readonly pending_operations?: readonly { readonly resource: StateResource; readonly type: string }[];
}

interface Checkpoint {
  readonly checkpoint?: { readonly latest?: Deployment | null };
}

/** The state in this checkout, read from its file: without the Pulumi CLI, and with encrypted secrets. */
export async function storedDeployment({ state }: StackPaths, stack: string): Promise<Deployment> {
  const text = await readFile(join(state, ".pulumi/stacks", projectName, `${stack}.json`), "utf8").catch(() => "{}");
  return (JSON.parse(text) as Checkpoint).checkpoint?.latest ?? {};
}
