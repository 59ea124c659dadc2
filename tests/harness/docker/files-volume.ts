import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { mustRun, run } from "../process.ts";
import { runId, runLabel } from "../run/run.ts";

/**
 * A volume with a test's files. The Docker daemon may not see the folders of this machine (rootless Docker, a daemon in a virtual
 * machine), so a container that never starts carries the files into the volume.
 */
export class FilesVolume implements AsyncDisposable {
  readonly name: string = `rq-test-${runId}-${randomBytes(3).toString("hex")}-files`;
  readonly #folder = mkdtempSync(join(tmpdir(), "routeql-files-"));
  #filled = false;

  constructor() {
    chmodSync(this.#folder, 0o755);
  }

  /** Adds or replaces a file, with {@link fill}. */
  put(name: string, content: string): void {
    const path = join(this.#folder, name);
    mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
    rmSync(path, { force: true });
    writeFileSync(path, content, { mode: 0o444 });
  }

  /** Copies the files into the volume. @param image any local image */
  async fill(image: string): Promise<void> {
    if (!this.#filled) {
      await mustRun("docker", ["volume", "create", "--label", `${runLabel}=${runId}`, this.name]);
      await mustRun("docker", [
        "create",
        "--label",
        `${runLabel}=${runId}`,
        "--name",
        this.name,
        "--volume",
        `${this.name}:/files`,
        image,
        "true",
      ]);
      this.#filled = true;
    }
    await mustRun("docker", ["cp", `${this.#folder}/.`, `${this.name}:/files`]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#filled) {
      await run("docker", ["rm", "--force", this.name]);
      await run("docker", ["volume", "rm", this.name]);
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
