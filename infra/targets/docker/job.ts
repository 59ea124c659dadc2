import type { Container } from "@pulumi/docker";
import { RunError, all } from "@pulumi/pulumi";
import type { Output } from "@pulumi/pulumi";

/** Lines of a failed job's log that its error shows. */
const shownLines = 30;

/** How a job's container ended. */
export interface JobEnd {
  readonly name: string;
  readonly exitCode: number | undefined;
  readonly log: string;
  /** Of the container's resource. */
  readonly urn: string;
}

/** Thrown into the program when a job exited with anything but 0. */
export class JobError extends RunError {
  constructor({ name, exitCode, log, urn }: JobEnd) {
    const lines = log.trimEnd().split("\n").slice(-shownLines);
    super(
      [
        `The job ${name} failed with exit code ${exitCode ?? "unknown"}. Its last lines:`,
        ...lines.map((line) => `  ${line}`),
        "After its cause is removed it runs again when its image or files have changed, or with:",
        `  pulumi up --replace '${urn}'`,
      ].join("\n"),
    );
    this.name = "JobError";
  }
}

/** @throws {JobError} unless the job exited with 0 */
export function requireSuccess(end: JobEnd): void {
  if (end.exitCode !== 0) throw new JobError(end);
}

/** The job's container once it has succeeded; what depends on this output waits for that, and is not started after a failure. */
export function succeeded(name: string, container: Container): Output<Container> {
  return all([container.exitCode, container.containerLogs, container.urn]).apply(([exitCode, log, urn]) => {
    requireSuccess({ name, exitCode, log, urn });
    return container;
  });
}
