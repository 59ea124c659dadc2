import { Container, Volume } from "@pulumi/docker";
import {
  all,
  ComponentResource,
  type ComponentResourceOptions,
  type Input,
  log,
  type Output,
  RunError,
} from "@pulumi/pulumi";
import type { ServiceDescription, ServiceName } from "../../description/service.ts";
import type { Secrets } from "../../description/secrets.ts";
import { containerArgs } from "./container.ts";
import { deliverFiles } from "./files.ts";
import type { Attachments } from "./networks.ts";
import { onceHealthy } from "./healthy.ts";
import { withProcessLimit } from "./process-limit.ts";
import { withFilesLoaded } from "./loaded-files.ts";
import { labels, replaceInPlace, type Scope } from "./scope.ts";

/** Log lines that the error of a failed job shows. */
const shownLines = 30;

interface JobEnd {
  readonly name: string;
  readonly exitCode: number | undefined;
  readonly log: string;
  /** Of the container's resource. */
  readonly urn: string;
}

export function jobProblem({ name, exitCode, log: output, urn }: JobEnd): string | undefined {
  if (exitCode === 0) return undefined;
  const lines = output.trimEnd().split("\n").slice(-shownLines);
  return [
    `The job ${name} failed with exit code ${exitCode ?? "unknown"}. Its last lines:`,
    ...lines.map((line) => `  ${line}`),
    "After its cause is removed it runs again when its image or files have changed, or with:",
    `  pulumi up --replace '${urn}'`,
  ].join("\n");
}

/** The job's container once it has succeeded, else an error that is short, because Pulumi repeats it; the log names the cause. */
export function succeeded(name: string, container: Container): Output<Container> {
  return all([container.exitCode, container.containerLogs, container.urn]).apply(async ([exitCode, output, urn]) => {
    const problem = jobProblem({ name, exitCode, log: output, urn });
    if (problem === undefined) return container;
    await log.error(problem, container);
    throw new RunError(`The job ${name} failed.`);
  });
}

export interface DockerServiceArgs {
  readonly service: ServiceDescription;
  /** Name of its image on the Docker host. */
  readonly image: Output<string>;
  readonly secrets: Secrets;
  readonly attachments: Attachments;
  readonly hostAddress: Input<string>;
  readonly processorLimit: Input<number>;
  readonly startInterval: Input<boolean>;
  readonly protectData: boolean;
  readonly scope: Scope;
  /** Dependencies that must be ready before it starts. */
  readonly after: readonly Output<Container>[];
}

/** Services whose data is metrics and silences: protected, it would refuse an update that switches the monitoring off. */
const measurements: ReadonlySet<ServiceName> = new Set(["prometheus", "alertmanager"]);

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
    // `npm run down` keeps data, and the next deployment finds the volume by its name. With protected data, a destroy deletes the data only
    // after the data and its secrets are unprotected: a volume without its secrets is of no use.
    const isProtected = protectData && !measurements.has(service.name);
    const dataVolume = (name: string): Volume =>
      new Volume(
        scope.named(name),
        {
          name: `${scope.prefix}-${name}`,
          labels: labels(scope, service.name, {
            run: "data",
            ...(name === "database-data" && scope.dataVolume !== undefined ? { data: scope.dataVolume } : {}),
          }),
        },
        // Labels of a volume cannot be changed: another label would replace it, which protected data refuses.
        {
          parent: this,
          retainOnDelete: !protectData,
          protect: isProtected,
          ignoreChanges: ["labels"],
          ...replaceInPlace,
        },
      );
    const data = service.data === undefined ? undefined : dataVolume(`${service.name}-data`);
    const shared = Object.values(service.shared ?? {})
      .filter(({ source }) => source.startsWith(`${service.name}-`))
      .map(({ source }) => dataVolume(source));
    this.container = new Container(
      scope.named(service.name),
      containerArgs(service, { ...rest, image, files, dataVolume: data?.name, scope }),
      {
        parent: this,
        dependsOn: [...after, ...shared, ...(files === undefined ? [] : [files.carrier])],
        // The provider treats a changed health check as an update, which does not change the container.
        replaceOnChanges: ["healthcheck"],
        ...replaceInPlace,
      },
    );
    this.ready =
      service.run === "job"
        ? succeeded(service.name, this.container)
        : withProcessLimit(this.container, service.resources.processes).apply(() =>
            onceHealthy(this.container, service).apply(() => withFilesLoaded(this.container, service, files)),
          );
    this.registerOutputs({ containerName: this.container.name });
  }
}
