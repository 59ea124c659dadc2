import { dockerPlace } from "./docker/stack-place.ts";
import { placeOf } from "./kubernetes/place.ts";
import type { StackPlace } from "./place/stack-place.ts";

/** The place of a stack: the cluster that its state names, else the Docker daemon. */
export async function openPlace(stack: string): Promise<StackPlace> {
  const cluster = await placeOf(stack);
  if (cluster === undefined) return dockerPlace(stack);
  // This loads Kubernetes' client and Pulumi's SDK, which a stack on Docker does not need.
  const { clusterPlace } = await import("./kubernetes/stack-place.ts");
  return clusterPlace(stack, cluster);
}
