import { mustRun } from "../../../harness/process.ts";
import { stack } from "./stack.ts";

export interface ContainerSummary {
  readonly id: string;
  readonly name: string;
  readonly service: string;
}

/** Containers of the stack, including stopped ones: all of them, or only those of a service, a job, or a volume's files. */
export async function containers(kind?: "service" | "job" | "files"): Promise<ContainerSummary[]> {
  const filters = [
    `label=com.routeql.stack=${stack.name}`,
    ...(kind === undefined ? [] : [`label=com.routeql.run=${kind}`]),
  ];
  const format = '{{.ID}}\t{{.Names}}\t{{.Label "com.routeql.service"}}';
  const text = await mustRun("docker", [
    "ps",
    "--all",
    ...filters.flatMap((filter) => ["--filter", filter]),
    "--format",
    format,
  ]);
  return text
    .trim()
    .split("\n")
    .map((line) => line.split("\t") as [string, string, string])
    .map(([id, name, service]) => ({ id, name, service }));
}

export function containerOf(service: string): string {
  return `routeql-${stack.name}-${service}`;
}
