import { log, RunError, runtime } from "@pulumi/pulumi";
import { readClaim, stackObjects } from "@routeql/host/docker/stack-objects";
import { messageOf } from "@routeql/host/failure";
import { ApiClient, configOf } from "@routeql/host/kubernetes/client";
import { Cluster } from "@routeql/host/kubernetes/cluster";
import { claimIn, type ClusterPlace, objectsIn } from "@routeql/host/kubernetes/stack-objects";
import { describeOwner, type Owner, stateLabel } from "@routeql/host/ownership";
import { type DockerClient, daemonOfProvider } from "./docker/provider-daemon.ts";

/** The claim and the objects with the name of a stack on a target. */
interface Found {
  readonly where: string;
  readonly claim: Owner | undefined;
  readonly objects: readonly { readonly name: string; readonly state: string | undefined }[];
}

/** Why plain `pulumi up` must not touch another state's stack, whose data these secrets do not open. @param identity of a known state */
export type OwnerCheck = (identity: string | undefined) => Promise<RunError | undefined>;

function refusalOf(
  stack: string,
  { where, claim, objects }: Found,
  identity: string | undefined,
): RunError | undefined {
  const foreign = objects.filter(({ state }) => state !== undefined && state !== identity);
  if (foreign.length === 0 && (claim === undefined || claim.state === identity)) return undefined;
  const owner = describeOwner(claim ?? { state: foreign[0]!.state! });
  const names = foreign.map(({ name }) => name).toSorted();
  const shown =
    names.length === 0
      ? ""
      : `: ${names.slice(0, 3).join(", ")}${names.length > 3 ? ` and ${names.length - 3} more` : ""}`;
  // Pulumi prints this error without a stack trace.
  return new RunError(
    `The stack ${stack} ${where} belongs to ${owner}${shown}. Use another stack name, or use that state. ` +
      `If that state is lost, remove the stack and its data permanently: npm run down -- --volumes --adopt${stack === "local" ? "" : ` --stack ${stack}`}`,
  );
}

/**
 * Why a component in the program of another team must not touch objects with its names. Docker accepts the creation of an existing
 * volume, so a second state would own the first one's data.
 * @param prefix of the names
 */
export async function foreignOnDocker(
  { stack, prefix, identity }: { readonly stack: string; readonly prefix: string; readonly identity: string },
  docker: DockerClient | undefined = daemonOfProvider(),
): Promise<RunError | undefined> {
  // A daemon that does not answer here fails the provider too, with its own reason.
  const found = docker === undefined ? [] : await stackObjects(stack, docker, prefix).catch(() => []);
  const foreign = found.find(({ labels }) => labels[stateLabel] !== undefined && labels[stateLabel] !== identity);
  if (foreign === undefined) return undefined;
  return new RunError(
    `${foreign.name} on this Docker daemon belongs to ${describeOwner({ state: foreign.labels[stateLabel]! })}. ` +
      `Give the component or the stack another name, or use that state.`,
  );
}

export const ownerOnDocker =
  (stack: string, docker: DockerClient | undefined = daemonOfProvider()): OwnerCheck =>
  async (identity) => {
    if (docker === undefined) return undefined;
    const [claim, found] = await Promise.all([readClaim(stack, docker), stackObjects(stack, docker)]);
    const objects = found.map(({ name, labels }) => ({ name, state: labels[stateLabel] }));
    return refusalOf(stack, { where: "on this Docker daemon", claim, objects }, identity);
  };

/** The cluster of the official provider. */
function clusterOfProvider(): Cluster {
  const [kubeconfig, context] = ["kubeconfig", "context"].map((key) => runtime.getConfig(`kubernetes:${key}`));
  return new Cluster(new ApiClient(configOf(kubeconfig, context)));
}

/** A cluster that only the provider reaches, such as by a flag of its own, is not checked. */
export const ownerInCluster =
  (stack: string, place: ClusterPlace, clusterOf = clusterOfProvider): OwnerCheck =>
  async (identity) => {
    const where = `in the namespace ${place.namespace}`;
    try {
      const cluster = clusterOf();
      const [claim, found] = await Promise.all([claimIn(cluster, place), objectsIn(cluster, place)]);
      const objects = found.map(({ metadata }) => ({ name: metadata.name, state: metadata.labels?.[stateLabel] }));
      return refusalOf(stack, { where, claim, objects }, identity);
    } catch (error) {
      await log.warn(`The owner of the stack ${stack} ${where} is unknown: ${messageOf(error)}`);
      return undefined;
    }
  };
