/** Which state owns a stack in a namespace: a ConfigMap names the checkout, and a label of every object names its state. */
import { type Owner, stateLabel } from "@routeql/host/docker/stack-objects";
import { Failure } from "@routeql/host/failure";
import type { Cluster } from "@routeql/host/kubernetes/cluster";
import { ApiError } from "@routeql/host/kubernetes/client";
import { field, type KubernetesObject, textAt } from "@routeql/host/kubernetes/objects";
import { type StackPaths, stackPaths } from "@routeql/host/paths";
import { deleteAndWait } from "@routeql/host/kubernetes/await";
import {
  belongsToAnother,
  type Identity,
  isCopied,
  keepIdentity,
  type KnownOwner,
  newIdentity,
  ownerByLabels,
  readIdentity,
  thisCheckout,
} from "../ownership/owner.ts";
import type { Permit } from "../ownership/ownership.ts";
import type { Deployment } from "../pulumi/recovery.ts";
import { instanceLabels, type Place } from "./place.ts";

/** A stack's place, and a connection to its cluster. */
interface Located {
  readonly connection: { readonly cluster: Cluster };
  readonly place: Place;
}

const claimOf = ({ instance, namespace }: Place) =>
  ({ apiVersion: "v1", kind: "ConfigMap", name: `${instance}-claim`, namespace }) as const;
const whereIs = ({ namespace, server }: Place): string => `in the namespace ${namespace} of the cluster ${server}`;

/** Undefined if the object does not exist or this user may not read it. */
const allowed = <T>(asked: Promise<T>): Promise<T | undefined> =>
  asked.catch((error: unknown) => {
    if (error instanceof ApiError && error.code === 403) return undefined;
    throw error;
  });

async function readClaim(cluster: Cluster, place: Place): Promise<Owner | undefined> {
  const found = await allowed(cluster.get(claimOf(place)));
  const text = (key: string): string => textAt(found, "data", key) ?? "";
  return field(found, "data", "state") === undefined
    ? undefined
    : { state: text("state"), folder: text("folder"), host: text("host"), user: text("user") };
}

/** Objects that an update creates first and last, and the data. */
const lookedAt = [
  { apiVersion: "v1", kind: "PersistentVolumeClaim" },
  { apiVersion: "v1", kind: "Service" },
  { apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy" },
] as const;

async function objectsOf(cluster: Cluster, place: Place): Promise<readonly KubernetesObject[]> {
  const namespace = await allowed(cluster.get({ apiVersion: "v1", kind: "Namespace", name: place.namespace }));
  const lists = lookedAt.map((kind) =>
    allowed(cluster.list({ ...kind, namespace: place.namespace }, instanceLabels(place))),
  );
  const own = namespace?.metadata.labels?.["app.kubernetes.io/instance"] === place.instance ? [namespace] : [];
  return [...own, ...(await Promise.all(lists)).flatMap((list) => list ?? [])];
}

async function otherOwner(
  cluster: Cluster,
  place: Place,
  stack: string,
  identity: Identity | undefined,
): Promise<KnownOwner | undefined> {
  const claim = await readClaim(cluster, place);
  if (claim !== undefined) return claim.state !== identity?.state || (await isCopied(stack, claim)) ? claim : undefined;
  const objects = await objectsOf(cluster, place);
  return ownerByLabels(
    objects.map(({ metadata }) => metadata.labels?.[stateLabel]),
    identity,
  );
}

/** @throws Failure when the stack there belongs to another state */
export async function requireOwnInCluster(cluster: Cluster, place: Place, stack: string): Promise<void> {
  const other = await otherOwner(cluster, place, stack, await readIdentity(stackPaths(stack)));
  if (other !== undefined) throw belongsToAnother(stack, other, { where: whereIs(place) });
}

/** Checks the owner before anything is built for a stack. @throws Failure when another state owns it and it is not to be adopted */
export async function checkOwnershipInCluster(
  { connection: { cluster }, place }: Located,
  stack: string,
  adopt: boolean,
): Promise<Permit> {
  const known = await readIdentity(stackPaths(stack));
  const other = await otherOwner(cluster, place, stack, known);
  if (other !== undefined && !adopt) throw belongsToAnother(stack, other, { where: whereIs(place) });
  return { identity: known ?? newIdentity(), replaces: other !== undefined };
}

/** Claims the stack's name in the namespace for this state. A namespace that the update creates names its owner by its label. */
export async function claimInCluster(
  { connection: { cluster }, place }: Located,
  paths: StackPaths,
  { identity }: Permit,
): Promise<void> {
  await keepIdentity(paths, identity);
  if ((await allowed(cluster.get({ apiVersion: "v1", kind: "Namespace", name: place.namespace }))) === undefined)
    return;
  const { apiVersion, kind, name, namespace } = claimOf(place);
  const labels = { [stateLabel]: identity.state, "app.kubernetes.io/part-of": "routeql" };
  await cluster.apply({
    apiVersion,
    kind,
    metadata: { name, namespace, labels },
    data: { ...thisCheckout(identity.state) },
  });
}

/** Deletes the claim once nothing is left of the stack. */
export const releaseInCluster = (cluster: Cluster, place: Place): Promise<void> =>
  cluster.delete(claimOf(place), "Background");

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

/** Data is only readable with the secrets of its creation, and these are in the state. */
export async function refuseForeignClaims(
  stack: string,
  { connection: { cluster }, place }: Located,
  { resources = [], pending_operations: pending = [] }: Deployment,
): Promise<void> {
  if (resources.some(({ type }) => type.startsWith("random:")) || pending.length > 0) return;
  const claims = await dataClaims(cluster, place);
  if (claims.length === 0) return;
  throw new Failure(
    `The namespace ${place.namespace} has data of a stack named ${stack} (${claims.join(", ")}) whose secrets are not in this checkout's .routeql/${stack}`,
    {
      remedy: `restore that folder, use another name (--stack) or namespace, or delete the data: kubectl delete pvc --namespace ${place.namespace} ${claims.join(" ")}`,
    },
  );
}
