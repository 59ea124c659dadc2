import { type StackConfiguration, targetOf } from "../../configuration/configuration.ts";
import { placeOf } from "../../kubernetes/place.ts";
import type { Session } from "../../pulumi/session.ts";
import { prepareOnDocker, removalOnDocker } from "./docker.ts";
import { prepareOnCluster, removalOnCluster } from "./kubernetes.ts";
import type { Preparation, PreparationOptions, RemovalPlace } from "./place.ts";

/** The work before an update at the place that the settings choose. @param withImages false for a preview */
export function prepare(
  session: Session,
  given: StackConfiguration,
  withImages: boolean,
  options: PreparationOptions,
): Preparation {
  const at = targetOf(given.plain) === "kubernetes" ? prepareOnCluster : prepareOnDocker;
  return at(session, given, withImages, options);
}

/** The removal at the place where the stack runs: the cluster that its folder names, else the Docker daemon. */
export async function removalOf(session: Session, adopt: boolean): Promise<RemovalPlace> {
  const place = await placeOf(session.stack);
  return place === undefined ? removalOnDocker(session, adopt) : removalOnCluster(session, place, adopt);
}
