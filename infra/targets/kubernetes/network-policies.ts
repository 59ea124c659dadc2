import { NetworkPolicy } from "@pulumi/kubernetes/networking/v1/index.js";
import { output } from "@pulumi/pulumi";
import type { Input, Resource } from "@pulumi/pulumi";
import type { ServiceDescription } from "../../services/description.ts";
import { denyAll, networkRules } from "./network-rules.ts";
import type { NetworkSurroundings } from "./network-rules.ts";
import { metadataOf } from "./scope.ts";

/** External addresses may be known only during the deployment, because they are parts of secret URLs. */
export interface Surroundings extends Omit<NetworkSurroundings, "outside"> {
  readonly outside: Input<NetworkSurroundings["outside"]>;
}

/** Creates the policy that denies everything, then one for each service. */
export function connect(services: readonly ServiceDescription[], around: Surroundings, parent: Resource): readonly NetworkPolicy[] {
  const { scope } = around;
  const denied = new NetworkPolicy(scope.named("deny-all"), { metadata: metadataOf("deny-all", undefined, scope), spec: denyAll }, { parent });
  const rules = output(around.outside).apply((outside) => networkRules(services, { ...around, outside }));
  const allowed = services.map(({ name }) => {
    const spec = rules.apply((all) => all.get(name)!);
    return new NetworkPolicy(scope.named(name), { metadata: metadataOf(name, name, scope), spec }, { parent });
  });
  return [denied, ...allowed];
}
