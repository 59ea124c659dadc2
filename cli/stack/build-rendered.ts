import { builtImages } from "@routeql/infra/images";
import { dockerClient } from "@routeql/host/docker/client";
import { runPhases } from "../foundation/phases.ts";
import { type StackConfiguration, withSettings } from "../configuration/configuration.ts";
import { basesPhase, daemonPhase, imagesPhase } from "./phases.ts";

/** Builds and pulls the images that rendered manifests name, with their tags of the registry: exactly from the settings' base images. */
export async function buildRendered(given: StackConfiguration, signal: AbortSignal): Promise<void> {
  const { nodeBase, imageRegistry } = given.plain;
  const record = (): void => undefined;
  // A base that is named gets no replacement, which would give the images other tags.
  const bases = basesPhase(() => withSettings(given, { nodeBase }), record);
  await runPhases([daemonPhase(record), bases, imagesPhase(bases, record)], { signal, record });
  if (imageRegistry === undefined) return;
  for (const { imageName } of builtImages(given.plain)) {
    const [name, tag] = imageName.split(":");
    await dockerClient()
      .getImage(imageName)
      .tag({ repo: `${imageRegistry}/${name}`, tag });
  }
}
