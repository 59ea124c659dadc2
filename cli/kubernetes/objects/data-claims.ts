import { deleteAndWait } from "@routeql/host/kubernetes/await";
import type { Cluster } from "@routeql/host/kubernetes/cluster";
import type { KubernetesObject } from "@routeql/host/kubernetes/objects";
import { instanceLabels } from "@routeql/host/kubernetes/stack-objects";
import { foreignData } from "../../ownership/ownership.ts";
import type { Deployment } from "../../pulumi/recovery.ts";
import type { Place } from "../place.ts";

const claimKind = { apiVersion: "v1", kind: "PersistentVolumeClaim" };

function claimsOf(cluster: Cluster, place: Place, signal?: AbortSignal): Promise<readonly KubernetesObject[]> {
  return cluster.list({ ...claimKind, namespace: place.namespace }, instanceLabels(place), signal);
}

export async function dataClaims(cluster: Cluster, place: Place, signal?: AbortSignal): Promise<string[]> {
  return (await claimsOf(cluster, place, signal)).map(({ metadata }) => metadata.name).toSorted();
}

export async function removeDataClaims(cluster: Cluster, place: Place, signal: AbortSignal): Promise<string[]> {
  const claims = await dataClaims(cluster, place, signal);
  for (const name of claims) await deleteAndWait({ ...claimKind, name, namespace: place.namespace }, cluster, signal);
  return claims;
}

/** @throws Failure for data of a state whose secrets this one lacks: it has none yet */
export async function refuseForeignClaims(
  stack: string,
  { connection: { cluster }, place }: { readonly connection: { readonly cluster: Cluster }; readonly place: Place },
  { resources = [], pending_operations: pending = [] }: Deployment,
): Promise<void> {
  if (resources.some(({ type }) => type.startsWith("random:")) || pending.length > 0) return;
  const claims = await dataClaims(cluster, place);
  if (claims.length === 0) return;
  const remedy = `restore that folder, use another name (--stack) or namespace, or delete the data: kubectl delete pvc --namespace ${place.namespace} ${claims.join(" ")}`;
  throw foreignData(stack, `The namespace ${place.namespace}`, claims, remedy);
}
