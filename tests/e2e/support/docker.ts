import { mustRun } from "../../harness/process.ts";
import { stack } from "./stack.ts";

export interface ContainerSummary {
  readonly id: string;
  readonly name: string;
  readonly service: string;
}

/** Every container of the stack, also those that have ended. */
export async function containers(): Promise<ContainerSummary[]> {
  const format = '{{.ID}}\t{{.Names}}\t{{.Label "com.routeql.service"}}';
  const text = await mustRun("docker", ["ps", "--all", "--filter", `label=com.routeql.stack=${stack.name}`, "--format", format]);
  return text
    .trim()
    .split("\n")
    .map((line) => line.split("\t") as [string, string, string])
    .map(([id, name, service]) => ({ id, name, service }));
}

export function containerOf(service: string): string {
  return `routeql-${stack.name}-${service}`;
}
