import type { Deployment, StatefulSet } from "@pulumi/kubernetes/apps/v1/index.js";
import { Job } from "@pulumi/kubernetes/batch/v1/index.js";
import { Service } from "@pulumi/kubernetes/core/v1/index.js";
import {
  ComponentResource,
  type ComponentResourceOptions,
  type Input,
  output,
  type Output,
  type Resource,
} from "@pulumi/pulumi";
import { derive } from "../../inputs.ts";
import type { ServiceDescription, ServiceName } from "../../description/service.ts";
import type { Secrets } from "../../description/secrets.ts";
import { deliverFiles, type ForeignFiles } from "./files.ts";
import type { PodSettings } from "../../settings/values/pods.ts";
import { podTemplate } from "./pod.ts";
import { metadataOf, type Scope, selectorOf, versionedMetadata } from "./scope.ts";
import {
  autoscaler,
  deployment,
  disruptionBudget,
  type Replicas,
  statefulSet,
  type Storage,
  type WorkloadParts,
} from "./workload.ts";

/** Deadline of a job in seconds, including its retries. */
const deadlineSeconds = 1800;

/**
 * A job runs once for its content: its pod names the objects with its files and secrets, and a changed pod replaces the job. It stays after its
 * success (no time to live), so that the same content never runs again. Its successor must succeed before its dependants continue.
 */
function job(service: ServiceDescription, parts: WorkloadParts): Job {
  const { scope, options } = parts;
  const template = podTemplate(service, parts);
  const content = output(template).apply((known): Record<string, string> => ({ template: JSON.stringify(known) }));
  return new Job(
    scope.named(service.name),
    {
      metadata: versionedMetadata(service.name, content, service.name, scope),
      spec: { backoffLimit: 4, activeDeadlineSeconds: deadlineSeconds, completions: 1, parallelism: 1, template },
    },
    { ...options, customTimeouts: { create: `${deadlineSeconds / 60}m` } },
  );
}

export interface KubernetesServiceArgs {
  readonly service: ServiceDescription;
  readonly image: Output<string>;
  readonly secrets: Secrets;
  readonly foreignFiles?: ForeignFiles | undefined;
  readonly imagePullSecret?: Input<string> | undefined;
  readonly pod: PodSettings;
  readonly replicas: Replicas;
  /** Needed by a service with data. */
  readonly storage?: Storage | undefined;
  readonly publication: Publication;
  readonly protectData: boolean;
  readonly scope: Scope;
  /** Objects that must be ready before it starts. */
  readonly after: readonly Resource[];
}

export class KubernetesService extends ComponentResource {
  readonly name: ServiceName;
  readonly workload: Output<string>;
  readonly image: Output<string>;
  /** Dependants wait for it: a ready service or a successful job. */
  readonly ready: Resource;
  /** Known when it is ready. */
  readonly readyId: Output<string>;

  constructor(args: KubernetesServiceArgs, options: ComponentResourceOptions) {
    const { service, image, secrets, foreignFiles, imagePullSecret, pod, replicas, storage, scope, after } = args;
    super("routeql:kubernetes:Service", scope.named(service.name), {}, options);
    this.name = service.name;
    this.image = image;
    const files = deliverFiles(service, { secrets, foreign: foreignFiles, scope, parent: this });
    if (service.listens.length > 0) internalService(service, scope, this);
    const waits = { parent: this, dependsOn: [...after] };
    const parts = { image, files, imagePullSecret, pod, scope, options: waits };
    let workload: Deployment | StatefulSet | Job;
    if (service.run === "job") workload = job(service, parts);
    else if (storage !== undefined && service.data !== undefined) {
      workload = statefulSet(service, storage, { ...parts, options: { ...waits, protect: args.protectData } });
    } else {
      workload = deployment(service, replicas, parts);
      disruptionBudget(service, replicas, scope, this);
      autoscaler(service, replicas, scope, this);
    }
    if (service.ports.length > 0) publishedService(service, args.publication, scope, { parent: this, workload });
    this.ready = workload;
    this.readyId = workload.id;
    this.workload = workload.metadata.name;
    this.registerOutputs({ workload: this.workload });
  }
}

/** The way of clients outside the cluster to the published ports. */
export interface Publication {
  /** LoadBalancer, NodePort or ClusterIP. */
  readonly type: Input<string>;
  /** For the cloud's load balancer, by name. */
  readonly annotations?: Input<Readonly<Record<string, string>>>;
}

/** DNS name and address of a service. One with data is headless, so that clients notice the end of its pod at once. */
function internalService(service: ServiceDescription, scope: Scope, parent: Resource): Service {
  return new Service(
    scope.named(service.name),
    {
      metadata: {
        ...metadataOf(service.name, service.name, scope),
        // Its pods may wait for a job, whose failure is reported by the job itself.
        annotations: { "pulumi.com/skipAwait": "true" },
      },
      spec: derive(scope.ipFamilies, (families) => ({
        type: "ClusterIP",
        ...families,
        ...(service.data === undefined ? {} : { clusterIP: "None" }),
        selector: { ...selectorOf(service.name, scope) },
        ports: service.listens.map(({ name, port }) => ({ name, port, targetPort: port, protocol: "TCP" })),
      })),
    },
    { parent },
  );
}

/** The only entry point of the stack. Traffic stays on the node that received it, so that the gateway sees the client's address. */
function publishedService(
  service: ServiceDescription,
  { type, annotations }: Publication,
  scope: Scope,
  { parent, workload }: { readonly parent: Resource; readonly workload: Resource },
): Service {
  const metadata = metadataOf(service.name, service.name, scope);
  return new Service(
    scope.named(service.name),
    {
      metadata: { ...metadata, ...(annotations === undefined ? {} : { annotations }) },
      spec: derive({ type, families: scope.ipFamilies }, ({ type: known, families }) => ({
        type: known,
        ...families,
        ...(known === "ClusterIP" ? {} : { externalTrafficPolicy: "Local" }),
        selector: { ...selectorOf(service.name, scope) },
        ports: service.ports.map(({ internal, published }) => ({
          name: `port-${internal}`,
          port: published,
          targetPort: internal,
          protocol: "TCP",
          ...(known === "NodePort" ? { nodePort: published } : {}),
        })),
      })),
    },
    { parent, dependsOn: [workload] },
  );
}
