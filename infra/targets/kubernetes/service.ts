import type { Deployment, StatefulSet } from "@pulumi/kubernetes/apps/v1/index.js";
import { Job } from "@pulumi/kubernetes/batch/v1/index.js";
import {
  ComponentResource,
  type ComponentResourceOptions,
  interpolate,
  type Output,
  output,
  type Resource,
  unsecret,
} from "@pulumi/pulumi";
import type { ServiceDescription, ServiceName } from "../../services/description.ts";
import type { Secrets } from "../../services/secrets.ts";
import { autoscaler, disruptionBudget } from "./availability.ts";
import { contentHash } from "./content-name.ts";
import { deliverFiles, type ForeignFiles } from "./files.ts";
import { podTemplate } from "./pod.ts";
import { metadataOf, type Scope } from "./scope.ts";
import { internalService, type Publication, publishedService } from "./services.ts";
import { deployment, type Replicas, statefulSet, type Storage, type WorkloadParts } from "./workload.ts";

/** Deadline of a job in seconds, including its retries. */
const deadlineSeconds = 1800;

/**
 * A job runs once for its content: its name contains the hash of its pod, which includes the hashes of its files and secrets. It stays
 * after its success (no time to live), so that the same content never runs again. Changed content creates another job, which must
 * succeed before its dependants continue.
 */
function job(service: ServiceDescription, parts: WorkloadParts): Job {
  const { scope, options } = parts;
  const template = podTemplate(service, parts);
  const hash = unsecret(output(template)).apply((content) => contentHash({ template: JSON.stringify(content) }));
  return new Job(
    scope.named(service.name),
    {
      metadata: metadataOf(interpolate`${service.name}-${hash}`, service.name, scope),
      spec: { backoffLimit: 4, activeDeadlineSeconds: deadlineSeconds, completions: 1, parallelism: 1, template },
    },
    { ...options, customTimeouts: { create: `${deadlineSeconds / 60}m` } },
  );
}

export interface KubernetesServiceArgs {
  readonly service: ServiceDescription;
  readonly image: Output<string>;
  readonly secrets: Secrets;
  readonly nameKey: Output<string>;
  readonly foreignFiles?: ForeignFiles | undefined;
  readonly imagePullSecret?: string | undefined;
  readonly replicas: Replicas;
  /** Needed by a service with data. */
  readonly storage?: Storage | undefined;
  readonly publication: Publication;
  readonly protectData: boolean;
  readonly scope: Scope;
  /** Objects that must be ready before it starts. */
  readonly after: readonly Resource[];
}

/** One service or job on Kubernetes: its files, its workload and its Service. */
export class KubernetesService extends ComponentResource {
  readonly name: ServiceName;
  /** Name of the workload. */
  readonly workload: Output<string>;
  readonly image: Output<string>;
  /** Dependants wait for it: a ready service or a successful job. */
  readonly ready: Resource;
  /** Known when it is ready. */
  readonly readyId: Output<string>;

  constructor(args: KubernetesServiceArgs, options: ComponentResourceOptions) {
    const { service, image, secrets, nameKey, foreignFiles, imagePullSecret, replicas, storage, scope, after } = args;
    super("routeql:kubernetes:Service", scope.named(service.name), {}, options);
    this.name = service.name;
    this.image = image;
    const files = deliverFiles(service, { secrets, nameKey, foreign: foreignFiles, scope, parent: this });
    if (service.listens.length > 0) internalService(service, scope, this);
    const waits = { parent: this, dependsOn: [...after] };
    const parts = { image, files, imagePullSecret, scope, options: waits };
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
