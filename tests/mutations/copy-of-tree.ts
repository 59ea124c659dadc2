import { cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { mustRun, run } from "../harness/process.ts";

/**
 * A copy of the working tree without ignored files, in a folder that Git ignores. Faults are applied to the copy, never to the tree.
 * Its packages are links to those of the tree, which the suite never changes.
 */
export class CopyOfTree implements AsyncDisposable {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async make(repository: string): Promise<CopyOfTree> {
    const parent = join(repository, ".routeql");
    await mkdir(parent, { recursive: true });
    const folder = await mkdtemp(join(parent, "mutations-"));
    const listed = await mustRun("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
      cwd: repository,
    });
    for (const path of listed.split("\0").filter((name) => name !== "")) {
      await mkdir(join(folder, dirname(path)), { recursive: true });
      // Git still lists a file whose deletion is not committed.
      await cp(join(repository, path), join(folder, path), { verbatimSymlinks: true }).catch(
        (error: NodeJS.ErrnoException) => {
          if (error.code !== "ENOENT") throw error;
        },
      );
    }
    // Hard links: the workspace links inside are relative, so they point into the copy.
    const linked = await run("cp", ["-al", join(repository, "node_modules"), join(folder, "node_modules")]);
    if (linked.code !== 0) await mustRun("cp", ["-a", join(repository, "node_modules"), join(folder, "node_modules")]);
    return new CopyOfTree(folder);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}
