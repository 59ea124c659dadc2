import { dockerClient, orUndefined } from "@routeql/host/docker/client";
import { isData, stackObjects } from "@routeql/host/docker/stack-objects";
import { isOf, stateLabel } from "@routeql/host/ownership";
import { Failure } from "@routeql/host/failure";
import { stackPaths } from "@routeql/host/paths";
import { describeServices } from "@routeql/infra/services/all";
import { networksOf } from "@routeql/infra/targets/docker/networks";
import { networkRangeOf, releaseNetworkRange } from "../../addresses/network-range.ts";
import { checkPorts } from "../../addresses/ports.ts";
import { type StackConfiguration, withSettings } from "../../configuration/configuration.ts";
import { dockerClaims } from "../../docker/claims.ts";
import { daemonAbilities, limitWarnings } from "../../docker/daemon/daemon-facts.ts";
import { refuseSharedIds } from "../../docker/host-accounts.ts";
import { refuseUnusableFolder } from "../../docker/host-folder.ts";
import { refuseOnDocker } from "../../kubernetes/place.ts";
import { checkOwnership, releaseStack, requireOwnOrAdopt } from "../../ownership/ownership.ts";
import { removeLeftovers, removeLostVolumes } from "../../pulumi/recovery.ts";
import type { Session } from "../../pulumi/session.ts";
import { type Phase, phase, type Ready } from "../../foundation/phases.ts";
import { lostDataWarnings } from "../lost-data.ts";
import { refuseLostArchive } from "../lost-archive.ts";
import {
  basesPhase,
  type Chosen,
  choicePhase,
  choiceOf,
  daemonPhase,
  imagesPhase,
  ownerPhase,
  type StackFiles,
} from "../phases.ts";
import { offerMetrics } from "../scrape-configuration.ts";
import type { Preparation, PreparationOptions, RemovalPlace, UpdatePlace } from "./place.ts";

const portsPhase = (stack: string, chosen: Ready<Chosen>): Phase => ({
  title: "Ports",
  work: async () => {
    const { configuration } = chosen.result;
    await checkPorts(stack, configuration);
    const { hostAddress, httpPort, httpsPort, consolePort } = configuration.plain;
    return `${hostAddress}: ${httpPort}, ${httpsPort}, ${consolePort}`;
  },
});

/** The configuration with the range of its networks. @param keeps whether to reserve the ranges, as for a stack that is about to be created */
const networksPhase = (
  { stack, paths }: StackFiles,
  chosen: Ready<Chosen>,
  keeps: boolean,
): Phase & Ready<StackConfiguration> =>
  phase("Networks", async () => {
    const { configuration } = chosen.result;
    const services = describeServices(configuration.plain, { hostOf: (name) => name, certificate: "", stack });
    const range = await networkRangeOf(stack, paths, { configuration, networks: networksOf(services), keeps });
    return range === undefined
      ? [configuration, "chosen by the Docker daemon; npm run down and npm run up give the stack a small range"]
      : [withSettings(configuration, { networkRange: range }), range];
  });

/** @param withImages whether images are built and addresses reserved, as for a stack that is about to be updated */
export function prepareOnDocker(
  session: Session,
  given: StackConfiguration,
  withImages: boolean,
  { images, adopt = false }: PreparationOptions,
): Preparation {
  const { stack, log } = session;
  if (images !== undefined)
    throw new Failure(`--images needs a stack on Kubernetes, and ${stack} runs on Docker`, {
      remedy: "omit --images.",
    });
  const daemon = daemonPhase(log.line, async () => {
    await refuseSharedIds(given.plain.images === "official");
    await refuseUnusableFolder(given.plain.archiveDirectory);
  });
  const permit = ownerPhase(session, () => checkOwnership(stack, dockerClaims(stack), adopt));
  const chosen = choicePhase(session, given, () => refuseOnDocker(stack));
  const networks = networksPhase(session, chosen, withImages);
  const configuration = basesPhase(() => networks.result, log.line);
  return {
    lane: [
      daemon,
      permit,
      chosen,
      ...(withImages ? [portsPhase(stack, chosen)] : []),
      networks,
      configuration,
      ...(withImages ? [imagesPhase(configuration, log.line)] : []),
    ],
    permit,
    configuration,
    place: () => updateOnDocker(stack, permit.result.identity.state),
    requirements: [],
    ...choiceOf(session, chosen),
  };
}

/** @param owner identity of the state whose objects may be removed; undefined for any */
export function updateOnDocker(stack: string, owner?: string): UpdatePlace {
  return {
    claims: dockerClaims(stack),
    remember: () => Promise.resolve(),
    // The claims compare the labels of volumes before anything is built.
    refuseForeignData: () => Promise.resolve(),
    removeInterrupted: (deployment) => removeLeftovers(stack, deployment, owner),
    removeLost: (deployment) => removeLostVolumes(stack, deployment, owner),
    reportWaiting: () => Promise.resolve(),
    metrics: (settings) => offerMetrics(stack, stackPaths(stack), settings),
    warnings: async () => [...limitWarnings(await daemonAbilities()), ...(await lostDataWarnings(stack))],
  };
}

export function removalOnDocker({ stack, paths, log }: Session, adopt: boolean): RemovalPlace {
  const claims = dockerClaims(stack);
  const holding = phase("Ownership", async () => {
    const found = await requireOwnOrAdopt(stack, claims, adopt);
    if (found.other !== undefined) await refuseLostArchive(stack);
    return [found, ""];
  });
  /** Identity of the state whose objects may be removed; undefined to remove all objects of the stack's name. */
  const owner = (): string | undefined => (adopt ? undefined : (holding.result.identity?.state ?? "none"));
  return {
    lane: [daemonPhase(log.line), holding],
    data: async () => (await volumesOf(stack, owner())).data,
    // A stopped container that holds them would not help: `docker system prune` removes it first.
    warning: "Docker's prune commands can delete them too: --filter 'label!=com.routeql.stack' spares them.",
    removeInterrupted: (deployment) => removeLeftovers(stack, deployment, holding.result.identity?.state),
    async removeRest(volumes) {
      await removeLeftovers(stack, {}, owner());
      await releaseNetworkRange(paths);
      const { data, others } = await volumesOf(stack, owner());
      // Every update writes the files and secrets of these volumes again.
      for (const name of [...others, ...(volumes ? data : [])])
        await orUndefined(dockerClient().getVolume(name).remove());
      if (volumes || data.length === 0) await releaseStack(paths, claims);
    },
  };
}

async function volumesOf(stack: string, owner: string | undefined): Promise<{ data: string[]; others: string[] }> {
  const volumes = (await stackObjects(stack)).filter(
    ({ kind, labels }) => kind === "volume" && isOf(owner, labels[stateLabel]),
  );
  const names = (wanted: boolean): string[] =>
    volumes
      .filter((volume) => isData(volume) === wanted)
      .map(({ name }) => name)
      .toSorted();
  return { data: names(true), others: names(false) };
}
