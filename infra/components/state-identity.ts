import { output } from "@pulumi/pulumi";
import type { Input, Output, Resource } from "@pulumi/pulumi";
import { RandomId } from "@pulumi/random";
import type { ResourceNames } from "./resource-names.ts";

export interface StateIdentityOptions {
  readonly named: ResourceNames;
  readonly protect: boolean;
  readonly parent: Resource;
}

/**
 * Identity of the Pulumi state, a label of everything that a stack creates: two stacks of one name on one engine stay apart by it.
 * @param given by a caller that keeps it beside the state; `false` for manifests, which have no state
 */
export function stateIdentity(given: Input<string> | false | undefined, { named, protect, parent }: StateIdentityOptions): Output<string> | undefined {
  if (given === false) return undefined;
  return output(given ?? new RandomId(named("state-identity"), { byteLength: 8 }, { parent, protect }).hex);
}
