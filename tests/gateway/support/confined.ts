import { randomBytes } from "node:crypto";
import { FilesVolume } from "../../harness/docker/files-volume.ts";
import { type Finished, mustRun, run } from "../../harness/process.ts";
import { runId, runLabel } from "../../harness/run/run.ts";

/** A sequence of the project's containers on one volume, each confined as in a deployment and without a network. */
export class Confined implements AsyncDisposable {
  private readonly id = `rq-test-${runId}-${randomBytes(3).toString("hex")}`;
  private readonly files = new FilesVolume();
  private readonly arguments: readonly string[];

  /** @param data path of the volume inside; @param temporary further folders in memory */
  constructor(data: string, temporary: readonly string[], environment: Readonly<Record<string, string>> = {}) {
    this.arguments = [
      `--label=${runLabel}=${runId}`,
      "--read-only",
      "--cap-drop=ALL",
      "--security-opt=no-new-privileges",
      "--network=none",
      ...temporary.flatMap((path) => ["--tmpfs", path]),
      `--volume=${this.id}:${data}`,
      `--volume=${this.files.name}:/run/routeql:ro`,
      ...Object.entries(environment).flatMap(([name, value]) => ["--env", `${name}=${value}`]),
    ];
  }

  /** Writes or replaces a file below /run/routeql, from the next start on. */
  put(name: string, content: string): void {
    this.files.put(name, content);
  }

  /** Starts a new container on the volume, which replaces the previous one. */
  async start(image: string, ...command: string[]): Promise<void> {
    await run("docker", ["rm", "--force", this.id]);
    await this.files.fill(image);
    await mustRun("docker", ["run", "--detach", "--name", this.id, ...this.arguments, image, ...command]);
  }

  /** Runs a container on the volume until it exits, without starting the service. */
  async runOnce(image: string, script: string): Promise<Finished> {
    await this.files.fill(image);
    return run("docker", ["run", "--rm", ...this.arguments, "--entrypoint", "/bin/bash", image, "-c", script]);
  }

  /** Runs a command in the running container. */
  exec(...command: string[]): Promise<Finished> {
    return run("docker", ["exec", this.id, ...command]);
  }

  async kill(): Promise<void> {
    await mustRun("docker", ["kill", this.id]);
  }

  /** Exit code of the container after it has exited by itself. */
  async exitCode(): Promise<number> {
    return Number(await mustRun("docker", ["wait", this.id]));
  }

  async log(): Promise<string> {
    const { stdout, stderr } = await run("docker", ["logs", this.id]);
    return stdout + stderr;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await run("docker", ["rm", "--force", this.id]);
    await run("docker", ["volume", "rm", this.id]);
    await this.files[Symbol.asyncDispose]();
  }
}
