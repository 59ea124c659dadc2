import { NetworkPolicy } from "@pulumi/kubernetes/networking/v1/index.js";
import type { Resource } from "@pulumi/pulumi";
import type { ServiceDescription } from "../../services/description.ts";
import { denyAll, networkRules } from "./network-rules.ts";
import type { NetworkSurroundings } from "./network-rules.ts";
import { metadataOf } from "./scope.ts";

/** Makes the policies of all services, and first of all the one that denies everything. */
export function connect(services: readonly ServiceDescription[], around: NetworkSurroundings, parent: Resource): readonly NetworkPolicy[] {
  const { scope } = around;
  const denied = new NetworkPolicy("deny-all", { metadata: metadataOf("deny-all", undefined, scope), spec: denyAll }, { parent });
  const rules = [...networkRules(services, around)];
  const allowed = rules.map(([name, spec]) => new NetworkPolicy(name, { metadata: metadataOf(name, name, scope), spec }, { parent }));
  return [denied, ...allowed];
}
