import type { Container } from "@pulumi/docker";
import { RunError, all, log } from "@pulumi/pulumi";
import type { Output } from "@pulumi/pulumi";

/** Log lines that the error of a failed job shows. */
const shownLines = 30;

/** How a job's container ended. */
export interface JobEnd {
  readonly name: string;
  readonly exitCode: number | undefined;
  readonly log: string;
  /** Of the container's resource. */
  readonly urn: string;
}

/** The problem of a finished job with the end of its log, or undefined. */
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

/**
 * The job's container once it has succeeded. Dependent resources wait for this output and do not start after a failure.
 * The failure is logged under the job's resource; the error itself is short, because Pulumi repeats it for each dependent
 * output.
 */
export function succeeded(name: string, container: Container): Output<Container> {
  return all([container.exitCode, container.containerLogs, container.urn]).apply(async ([exitCode, output, urn]) => {
    const problem = jobProblem({ name, exitCode, log: output, urn });
    if (problem === undefined) return container;
    await log.error(problem, container);
    throw new RunError(`The job ${name} failed.`);
  });
}
