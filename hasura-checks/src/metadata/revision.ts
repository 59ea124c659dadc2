import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { UsageError } from "../cli/usage-error.ts";
import { type Project, readProject } from "./project.ts";

const execute = promisify(execFile);

/** Git sets them for its hooks, where they hide the repository of a directory and its top. */
const ofHooks = /^GIT_(?:DIR|WORK_TREE|INDEX_FILE|PREFIX|COMMON_DIR|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES)$/;

/** The environment in which git finds the repository of a directory by itself; that of this process if it finds none. */
async function environmentFor(directory: string): Promise<NodeJS.ProcessEnv> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !ofHooks.test(name)));
  return execute("git", ["-C", directory, "rev-parse", "--git-dir"], { env }).then(
    () => env,
    () => process.env,
  );
}

async function git(directory: string, ...args: readonly string[]): Promise<string> {
  try {
    const env = await environmentFor(directory);
    return (await execute("git", ["-C", directory, ...args], { maxBuffer: 1 << 28, env })).stdout;
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string };
    throw new UsageError(`git: ${(stderr ?? message).trim().replace(/^fatal: /, "")}`);
  }
}

interface Revision {
  /** The commit and the path of its metadata, as the user wrote them. */
  readonly name: string;
  readonly metadata: string;
  readonly commit: string;
  /** A directory of the repository. */
  readonly from: string;
  /** Path of the metadata, relative to that directory. */
  readonly path: string;
}

async function revisionOf(base: string, metadata: string, directory: string): Promise<Revision | undefined> {
  const now = resolve(directory, metadata);
  const folder = dirname(now);
  const commitOf = async (name: string) =>
    (
      await git(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`).catch(() => "")
    ).trim();
  const commit = await commitOf(base);
  if (commit !== "") return { name: base, metadata, commit, from: folder, path: basename(now) };
  const [, name, path] = /^([^:]+):(.+)$/.exec(base) ?? [];
  if (name === undefined || path === undefined) return undefined;
  const named = await commitOf(name);
  return named === ""
    ? undefined
    : {
        name,
        metadata: path,
        commit: named,
        from: (await git(folder, "rev-parse", "--show-toplevel")).trimEnd(),
        path,
      };
}

/** The metadata of another revision. @param base a path, a commit, or `COMMIT:PATH` if the metadata moved @throws UsageError */
export async function readBase(base: string, metadata: string, directory: string): Promise<Project> {
  if (base.trim() === "")
    throw new UsageError("--base is empty. Is the environment variable that names the revision set?");
  if (statSync(resolve(directory, base), { throwIfNoEntry: false }) !== undefined) return readProject(base, directory);
  const revision = await revisionOf(base, metadata, directory);
  if (revision === undefined) {
    const isShallow =
      (
        await git(dirname(resolve(directory, metadata)), "rev-parse", "--is-shallow-repository").catch(() => "")
      ).trim() === "true";
    throw new UsageError(
      `${base} is neither a directory nor a revision of git${isShallow ? ". This clone is shallow: fetch the whole history in CI (fetch-depth: 0, GIT_DEPTH: 0)" : ""}`,
    );
  }
  if ((await git(revision.from, "ls-tree", "--name-only", revision.commit, "--", revision.path)) === "") {
    throw new UsageError(
      `${revision.name} has no metadata at ${revision.metadata}: omit --base, or give the former path, as in --base main:old/metadata`,
    );
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
