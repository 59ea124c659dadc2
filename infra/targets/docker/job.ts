import type { Container } from "@pulumi/docker";
import { RunError, all } from "@pulumi/pulumi";
import type { Output } from "@pulumi/pulumi";

/** Lines of a failed job's log that its error shows. */
const shownLines = 30;

/** Thrown into the program when a job's container exited with anything but 0. */
export class JobError extends RunError {
  constructor(name: string, exitCode: number, log: string, urn: string) {
    const lines = log.trimEnd().split("\n").slice(-shownLines);
    super(
      [
        `The job ${name} failed with exit code ${exitCode}. Its last lines:`,
        ...lines.map((line) => `  ${line}`),
        "After its cause is removed it runs again when its image or files have changed, or with:",
        `  pulumi up --replace '${urn}'`,
      ].join("\n"),
    );
    this.name = "JobError";
  }
}

/** The job's container once it has succeeded; what depends on this output waits for that, and is not started after a failure. */
export function succeeded(name: string, container: Container): Output<Container> {
  return all([container.exitCode, container.containerLogs, container.urn]).apply(([exitCode, log, urn]) => {
    if (exitCode !== 0) throw new JobError(name, exitCode, log, urn);
    return container;
  });
}
