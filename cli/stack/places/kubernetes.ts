import { builtImages, pulledImages } from "@routeql/infra/images";
import { namespaceOf } from "@routeql/infra/targets/kubernetes/kubernetes-run";
import type { StackConfiguration } from "../../configuration/configuration.ts";
import { clusterClaims } from "../../kubernetes/objects/claims.ts";
import { dataClaims, refuseForeignClaims, removeDataClaims } from "../../kubernetes/objects/data-claims.ts";
import { lostKinds, removeLostObjects } from "../../kubernetes/objects/lost-objects.ts";
import { connectCluster, type Connection } from "../../kubernetes/connection/connect.ts";
import { missingRequirements } from "../../kubernetes/objects/missing-requirements.ts";
import { forgetPlace, keepPlace, type Place, placeOf, refuseOtherCluster } from "../../kubernetes/place.ts";
import { reportWaiting, waitingReasons } from "../../kubernetes/observed/waiting.ts";
import { readIdentity } from "../../ownership/owner.ts";
import { checkOwnership, releaseStack, requireOwnOrAdopt } from "../../ownership/ownership.ts";
import { type Deployment, storedDeployment } from "../../pulumi/recovery.ts";
import type { Session } from "../../pulumi/session.ts";
import { type Phase, phase, type Ready } from "../../foundation/phases.ts";
import { listPhase } from "../listed-images.ts";
import { basesPhase, choiceOf, choicePhase, daemonPhase, imagesPhase, ownerPhase } from "../phases.ts";
import type { Preparation, PreparationOptions, RemovalPlace, UpdatePlace } from "./place.ts";

/** A cluster, and the place there of one stack. */
interface ClusterStack {
  readonly connection: Connection;
  readonly place: Place;
}

/** @param at the stack's place on the cluster with this address */
const clusterPhase = (stack: string, at: (server: string) => Place): Phase & Ready<ClusterStack> =>
  phase("Kubernetes cluster", async ({ signal }) => {
    const connection = await connectCluster(signal);
    const { server, version } = connection;
    refuseOtherCluster(stack, await placeOf(stack), connection);
    return [{ connection, place: at(server) }, `${version} at ${server}`];
  });

/** Requirements of the stack that the cluster does not meet, for the preview. */
const requirementsPhase = (
  cluster: Ready<ClusterStack>,
  { plain }: StackConfiguration,
): Phase & Ready<readonly string[]> =>
  phase("Cluster requirements", async ({ signal }) => {
    const missing = await missingRequirements(cluster.result.connection.cluster.api, plain, signal);
    return [missing, missing.length === 0 ? "all met" : `${missing.length} missing or unknown, listed below`];
  });

/** The place of a stack that is about to be created. */
function newPlace(stack: string, { plain }: StackConfiguration, server: string): Place {
  const instance = `routeql-${stack}`;
  return { server, namespace: namespaceOf(plain, instance), instance };
}

/** Copies the images of this machine to the nodes if the caller provides a way; else lists the images that the nodes need. */
const deliveryPhase = (
  configuration: Ready<StackConfiguration>,
  onLine: (line: string) => void,
  deliver?: (images: readonly string[]) => Promise<void>,
): Phase => ({
  title: "Images on the nodes",
  work: async () => {
    const { plain } = configuration.result;
    const images = [...builtImages(plain), ...pulledImages(plain)].map(({ imageName }) => imageName);
    if (!deliver) {
      for (const image of images) onLine(`required on the nodes: ${image}`);
      return "load them on the nodes (kind load docker-image, minikube image load, ctr images import), or set imageRegistry and pushImages";
    }
    await deliver(images);
    return `${images.length} images`;
  },
});

/** @param withImages whether images are built, as for a stack that is about to be updated */
export function prepareOnCluster(
  session: Session,
  given: StackConfiguration,
  withImages: boolean,
  { images: list, adopt = false, deliverImages }: PreparationOptions,
): Preparation {
  const { stack, log } = session;
  const cluster = clusterPhase(stack, (server) => newPlace(stack, given, server));
  const claims = () => clusterClaims(cluster.result.connection.cluster, cluster.result.place);
  const permit = ownerPhase(session, () => checkOwnership(stack, claims(), adopt));
  const common = {
    permit,
    place: () => updateOnCluster(session, cluster.result, permit.result.identity.state),
    requirements: [requirementsPhase(cluster, given)],
  };
  const { imageRegistry, pushImages } = given.plain;
  if (imageRegistry !== undefined && !pushImages) {
    const listed = list === undefined ? [] : [listPhase(() => given, list)];
    return {
      ...common,
      lane: [...listed, cluster, permit],
      configuration: listed[0] ?? { result: given },
      // This machine handles no image.
      replacement: () => undefined,
      keepChoice: () => Promise.resolve(),
    };
  }
  const chosen = choicePhase(session, given);
  const chosenNow = (): StackConfiguration => chosen.result.configuration;
  const listed = list === undefined ? [] : [listPhase(chosenNow, list)];
  const configuration = basesPhase(() => listed[0]?.result ?? chosenNow(), log.line);
  const images =
    withImages && imageRegistry === undefined
      ? [imagesPhase(configuration, log.line), deliveryPhase(configuration, log.line, deliverImages)]
      : [];
  return {
    ...common,
    lane: [cluster, permit, daemonPhase(log.line), chosen, ...listed, configuration, ...images],
    configuration,
    ...choiceOf(session, chosen),
  };
}

function updateOnCluster({ stack, paths }: Session, on: ClusterStack, owner: string): UpdatePlace {
  const { connection, place } = on;
  const removeLost = (deployment: Deployment, when: keyof typeof lostKinds, signal: AbortSignal) =>
    removeLostObjects(connection.cluster, { place, owner, deployment }, lostKinds[when], signal);
  return {
    claims: clusterClaims(connection.cluster, place),
    remember: () => keepPlace(paths, place),
    refuseForeignData: (before) => refuseForeignClaims(stack, on, before),
    removeInterrupted: (deployment, signal) => removeLost(deployment, "before", signal),
    removeLost: (deployment, signal) => removeLost(deployment, "after", signal),
    reportWaiting(progress, signal) {
      // Clocks of a cluster may be behind by a minute.
      const since = Date.now() - 60_000;
      const ask = (ends: AbortSignal) => waitingReasons(connection.cluster, place, since, ends);
      return reportWaiting(ask, progress.waitsFor, signal);
    },
    // The Prometheus of the cluster finds the services by their labels.
    metrics: () => Promise.resolve(undefined),
    warnings: () => Promise.resolve([]),
  };
}

export function removalOnCluster({ stack, paths }: Session, place: Place, adopt: boolean): RemovalPlace {
  const located = clusterPhase(stack, () => place);
  const cluster = () => located.result.connection.cluster;
  const ownership = phase("Ownership", async () => {
    return [await requireOwnOrAdopt(stack, clusterClaims(cluster(), place), adopt), ""];
  });
  return {
    lane: [located, ownership],
    data: (signal) => dataClaims(cluster(), place, signal),
    // Lost objects of a cluster are deleted after the others.
    removeInterrupted: () => Promise.resolve(),
    async removeRest(volumes, signal) {
      const owner = (await readIdentity(paths))?.state;
      const deployment = await storedDeployment(paths, stack);
      if (owner !== undefined)
        await removeLostObjects(cluster(), { place, owner, deployment }, lostKinds.after, signal);
      if (!volumes) return;
      // The claims still exist if the namespace does not belong to the stack.
      await removeDataClaims(cluster(), place, signal);
      await releaseStack(paths, clusterClaims(cluster(), place));
      await forgetPlace(paths);
    },
  };
}
