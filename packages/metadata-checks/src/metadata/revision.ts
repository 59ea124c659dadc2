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

interface Revision {
  /** As the user wrote them: the commit, and where its metadata are. */
  readonly name: string;
  readonly metadata: string;
  readonly commit: string;
  /** A directory in the repository. */
  readonly from: string;
  /** Where the metadata are, as seen from there. */
  readonly path: string;
}

async function revisionOf(base: string, metadata: string, directory: string): Promise<Revision | undefined> {
  const now = resolve(directory, metadata);
  const folder = dirname(now);
  const commitOf = async (name: string) => (await git(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`).catch(() => "")).trim();
  const commit = await commitOf(base);
  if (commit !== "") return { name: base, metadata, commit, from: folder, path: basename(now) };
  const [, name, path] = /^([^:]+):(.+)$/.exec(base) ?? [];
  if (name === undefined || path === undefined) return undefined;
  const named = await commitOf(name);
  return named === "" ? undefined : { name, metadata: path, commit: named, from: (await git(folder, "rev-parse", "--show-toplevel")).trimEnd(), path };
}

/**
 * The metadata of another revision: a directory or file of their own, or what the given metadata were in a revision of git.
 * @param base a path, anything that git takes for a commit, or, where the metadata have moved since, `COMMIT:PATH` with the path in the repository
 * @throws UsageError
 */
export async function readBase(base: string, metadata: string, directory: string): Promise<Project> {
  if (base.trim() === "") throw new UsageError("--base is empty: is the variable set that was to name the revision?");
  if (statSync(resolve(directory, base), { throwIfNoEntry: false }) !== undefined) return readProject(base, directory);
  const revision = await revisionOf(base, metadata, directory);
  if (revision === undefined) {
    const isShallow = (await git(dirname(resolve(directory, metadata)), "rev-parse", "--is-shallow-repository").catch(() => "")).trim() === "true";
    throw new UsageError(`${base} is neither a directory nor a revision of git${isShallow ? "; this clone is shallow, so let CI fetch the whole history (fetch-depth: 0, GIT_DEPTH: 0)" : ""}`);
  }
  if ((await git(revision.from, "ls-tree", "--name-only", revision.commit, "--", revision.path)) === "") {
    throw new UsageError(`${revision.name} has no metadata at ${revision.metadata}: leave --base out, or say where they were, as in --base main:old/metadata`);
  }
  const scratch = mkdtempSync(join(tmpdir(), "routeql-base-"));
  try {
    const archive = join(scratch, "base.tar");
    await git(revision.from, "archive", "--format=tar", `--output=${archive}`, revision.commit, "--", revision.path);
    await execute("tar", ["-xf", archive, "-C", scratch]);
    return readProject(join(scratch, revision.path), directory, `${revision.name}:${revision.metadata}`);
  } finally {
    rmSync(scratch, { recursive: true });
  }
}
