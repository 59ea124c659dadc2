import { Container, Volume } from "@pulumi/docker";
import { ComponentResource, output } from "@pulumi/pulumi";
import type { ComponentResourceOptions, Output } from "@pulumi/pulumi";
import type { ServiceDescription, ServiceName } from "../../services/description.ts";
import type { Secrets } from "../../services/secrets.ts";
import { containerArgs } from "./container.ts";
import { deliverFiles } from "./files.ts";
import { succeeded } from "./job.ts";
import type { Attachments } from "./networks.ts";
import { labels, replaceInPlace } from "./scope.ts";
import type { Scope } from "./scope.ts";

export interface DockerServiceArgs {
  readonly service: ServiceDescription;
  /** Name of its image on the Docker host. */
  readonly image: Output<string>;
  readonly secrets: Secrets;
  readonly attachments: Attachments;
  /** Address on which its ports are published. */
  readonly hostAddress: string;
  /** Processors that one container may use at most. */
  readonly processorLimit: number;
  readonly protectData: boolean;
  readonly scope: Scope;
  /** What has to be ready before it starts. */
  readonly after: readonly Output<Container>[];
}

/** One service or job on a Docker host: its container, its files and its data. */
export class DockerService extends ComponentResource {
  readonly name: ServiceName;
  readonly container: Container;
  /** The container, once a service is healthy or a job has succeeded. */
  readonly ready: Output<Container>;

  constructor(
    { service, image, secrets, scope, after, protectData, ...rest }: DockerServiceArgs,
    options: ComponentResourceOptions,
  ) {
    super("routeql:docker:Service", scope.named(service.name), {}, options);
    this.name = service.name;
    const files = deliverFiles(service, image, secrets, scope, this);
    // A destroy keeps data; the next creation finds the volume by its name.
    const data =
      service.data === undefined
        ? undefined
        : new Volume(
            scope.named(`${service.name}-data`),
            { name: `${scope.prefix}-${service.name}-data`, labels: labels(scope, service.name, { run: "data" }) },
            // Labels of a volume cannot be changed: another label would replace it, which protected data refuses.
            { parent: this, retainOnDelete: true, protect: protectData, ignoreChanges: ["labels"], ...replaceInPlace },
          );
    this.container = new Container(
      scope.named(service.name),
      containerArgs(service, { ...rest, image, files, dataVolume: data?.name, scope }),
      {
        parent: this,
        dependsOn: [...after],
        // The provider treats another health check as an update and then does not change the container.
        replaceOnChanges: ["healthcheck"],
        ...replaceInPlace,
      },
    );
    this.ready = service.run === "job" ? succeeded(service.name, this.container) : output(this.container);
    this.registerOutputs({ containerName: this.container.name });
  }
}
