import { Job } from "@pulumi/kubernetes/batch/v1/index.js";
import { interpolate, output, unsecret } from "@pulumi/pulumi";
import type { ServiceDescription } from "../../services/description.ts";
import { contentHash } from "./content-name.ts";
import { podTemplate } from "./pod.ts";
import { metadataOf } from "./scope.ts";
import type { WorkloadParts } from "./workload.ts";

/** Deadline of a job in seconds, including its retries. */
const deadlineSeconds = 1800;

/**
 * A job runs once for its content: its name contains the hash of its pod, and the pod names its files and secrets by theirs. It stays
 * after its success (no time to live), so that the same content never runs again. Other content is another job, which must
 * succeed before its dependants continue.
 */
export function job(service: ServiceDescription, parts: WorkloadParts): Job {
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

