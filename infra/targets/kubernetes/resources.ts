/** Requests and limits of a container: those of its description, unless the owner of the cluster gives others. */
import type { types } from "@pulumi/kubernetes";
import type { Input } from "@pulumi/pulumi";
import { derive } from "../../inputs.ts";
import type { Resources } from "../../description/service.ts";
import { SettingsError } from "../../settings/reading/error.ts";
import type { PodSettings } from "../../settings/values/pods.ts";

/** In the form in which the API server stores them. Another form would be a change in each `kubectl apply`. */
const processors = (millicores: number): string =>
  millicores % 1000 === 0 ? String(millicores / 1000) : `${millicores}m`;
const size = (mebibytes: number): string => (mebibytes % 1024 === 0 ? `${mebibytes / 1024}Gi` : `${mebibytes}Mi`);

function refuse(service: string, problem: string): never {
  throw new SettingsError([{ name: "pods", place: `resources of ${service}`, problem }]);
}

/** Default limit of processors, as a multiple of the request, so that a start or a burst is not throttled. */
const burst = 8;

/** Processors, in millicores. */
function processorsOf(service: string, usual: number, { requests = {}, limits = {} }: Given) {
  const request = requests.cpu ?? usual;
  const limit = limits.cpu ?? request * burst;
  if (limit !== "none" && limit < request)
    refuse(service, `limits processors to ${processors(limit)}, below the request of ${processors(request)}: set both`);
  return { request, limit };
}

/** Memory, in MiB. A service has no smaller limit than the caches and buffers that it is built with need. */
function memoryOf(service: string, needed: number, { requests = {}, limits = {} }: Given) {
  const request = requests.memory ?? needed;
  const limit = limits.memory ?? Math.max(needed, request);
  if (limit < needed)
    refuse(service, `limits memory to ${size(limit)}, but it needs ${size(needed)}: lower the request only`);
  if (limit < request)
    refuse(service, `limits memory to ${size(limit)}, below the request of ${size(request)}: set both`);
  return { request, limit };
}

type Given = NonNullable<PodSettings["resources"]>;

/** @throws {SettingsError} for a limit below the request or the needs of the service */
export function resourcesOf(
  service: string,
  { cpuMillicores, memoryMegabytes }: Pick<Resources, "cpuMillicores" | "memoryMegabytes">,
  { resources: given = {} }: PodSettings,
): types.input.core.v1.ResourceRequirements {
  const cpu = processorsOf(service, cpuMillicores, given);
  const memory = (which: "request" | "limit"): Input<string> =>
    derive(memoryMegabytes, (needed) => size(memoryOf(service, needed, given)[which]));
  return {
    requests: { cpu: processors(cpu.request), memory: memory("request") },
    limits: { ...(cpu.limit === "none" ? {} : { cpu: processors(cpu.limit) }), memory: memory("limit") },
  };
}
