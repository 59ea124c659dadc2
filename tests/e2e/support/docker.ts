import { mustRun } from "../../harness/process.ts";
import { stack } from "./stack.ts";

export interface ContainerSummary {
  readonly id: string;
  readonly name: string;
  readonly service: string;
}

/** Containers of the stack, also those that have ended: all, or those that run a service, a job, or only carry files into a volume. */
export async function containers(kind?: "service" | "job" | "files"): Promise<ContainerSummary[]> {
  const filters = [`label=com.routeql.stack=${stack.name}`, ...(kind === undefined ? [] : [`label=com.routeql.run=${kind}`])];
  const format = '{{.ID}}\t{{.Names}}\t{{.Label "com.routeql.service"}}';
  const text = await mustRun("docker", ["ps", "--all", ...filters.flatMap((filter) => ["--filter", filter]), "--format", format]);
  return text
    .trim()
    .split("\n")
    .map((line) => line.split("\t") as [string, string, string])
    .map(([id, name, service]) => ({ id, name, service }));
}

export function containerOf(service: string): string {
  return `routeql-${stack.name}-${service}`;
}
