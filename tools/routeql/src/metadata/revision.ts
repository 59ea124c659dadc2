import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { UsageError } from "../cli/usage-error.ts";
import { type Project, readProject } from "./project.ts";

const execute = promisify(execFile);

async function git(directory: string, ...args: readonly string[]): Promise<string> {
  try {
    return (await execute("git", ["-C", directory, ...args], { maxBuffer: 1 << 28 })).stdout;
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string };
    throw new UsageError(`git: ${(stderr ?? message).trim().replace(/^fatal: /, "")}`);
  }
}

/**
 * The metadata of another revision: a directory or file of their own, or what the given metadata were in a revision of git.
 * @param base a path, or anything that git takes for a commit
 * @throws UsageError
 */
export async function readBase(base: string, metadata: string, directory: string): Promise<Project> {
  if (base.trim() === "") throw new UsageError("--base is empty: is the variable set that was to name the revision?");
  if (statSync(resolve(directory, base), { throwIfNoEntry: false }) !== undefined) return readProject(base, directory);
  const path = resolve(directory, metadata);
  const folder = dirname(path);
  const commit = (await git(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", `${base}^{commit}`).catch(() => "")).trim();
  if (commit === "") {
    const isShallow = (await git(folder, "rev-parse", "--is-shallow-repository").catch(() => "")).trim() === "true";
    throw new UsageError(`${base} is neither a directory nor a revision of git${isShallow ? "; this clone is shallow, so let CI fetch the whole history (fetch-depth: 0, GIT_DEPTH: 0)" : ""}`);
  }
  const scratch = mkdtempSync(join(tmpdir(), "routeql-base-"));
  try {
    const archive = join(scratch, "base.tar");
    await git(folder, "archive", "--format=tar", `--output=${archive}`, commit, "--", basename(path)).catch((error: unknown) => {
      throw error instanceof UsageError ? new UsageError(`${base} has no metadata at ${metadata} (${error.message})`) : error;
    });
    await execute("tar", ["-xf", archive, "-C", scratch]);
    return readProject(join(scratch, basename(path)), directory, `${base}:${metadata}`);
  } finally {
    rmSync(scratch, { recursive: true });
  }
}
