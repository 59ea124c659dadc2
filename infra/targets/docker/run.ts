import { type Input, output, type Resource } from "@pulumi/pulumi";
import { earlierThan, type ServiceDescription, type ServiceName } from "../../description/service.ts";
import type { Secrets } from "../../description/secrets.ts";
import { provideImages } from "./image.ts";
import type { DockerImages } from "./image.ts";
import { connect } from "./networks.ts";
import { hasStartInterval } from "./provider-daemon.ts";
import type { Scope } from "./scope.ts";
import { DockerService } from "./service.ts";
import { subnetsBefore } from "./subnets-before.ts";

/** On a Docker network a service has its plain name. */
export const dockerHostOf = (service: ServiceName): string => service;

export interface DockerRun {
  /** In start order: each service after its dependencies. */
  readonly services: readonly ServiceDescription[];
  readonly images: DockerImages;
  readonly secrets: Secrets;
  readonly hostAddress: Input<string>;
  readonly processorLimit: Input<number>;
  /** Ranges of the stack's networks; without one the Docker daemon chooses. */
  readonly networkRange?: Input<string> | undefined;
  /** Whether Pulumi refuses to delete volumes with data. */
  readonly protectData: boolean;
  readonly scope: Scope;
}

export function runOnDocker(
  { services, images, scope, networkRange, ...rest }: DockerRun,
  parent: Resource,
): readonly DockerService[] {
  const addresses = networkRange === undefined ? undefined : { ranges: networkRange, held: subnetsBefore(scope) };
  const attachments = connect(services, scope, parent, addresses);
  const startInterval = output(hasStartInterval());
  const names = provideImages(images, scope, parent);
  const running = new Map<ServiceName, DockerService>();
  for (const service of services) {
    const image = names.get(service.image);
    if (image === undefined) throw new Error(`There is no image ${service.image}, but ${service.name} needs it.`);
    const after = earlierThan(service).map((name) => {
      const earlier = running.get(name);
      if (earlier === undefined)
        throw new Error(`${service.name} waits for ${name}, which is not described before it.`);
      return earlier.ready;
    });
    running.set(
      service.name,
      new DockerService({ ...rest, startInterval, service, image, attachments, scope, after }, { parent }),
    );
  }
  return [...running.values()];
}
