import { cp, mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { mustRun, run } from "../../harness/process.ts";

const repository = resolve(import.meta.dirname, "../../..");

/** A copy of the repository that a test may change, like a clone; deleted at the end of the test. */
export interface Checkout extends AsyncDisposable {
  readonly folder: string;
  /** Changes or creates a file; the function receives undefined for a missing file. */
  edit(path: string, change: (text: string) => string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Copies the repository's current files over the copy; additional files stay. */
  takeOver(): Promise<void>;
  /** `npm run <command> -- --stack <stack>`. Resolves to its exit code and its output. */
  command(name: string, stack: string, args?: readonly string[], start?: StartOptions): Promise<CommandEnd>;
}

/** Options for starting a command differently from the test itself. */
export interface StartOptions {
  readonly environment?: NodeJS.ProcessEnv;
  /** A program with its arguments that starts the command: as another user, for example. */
  readonly through?: readonly string[];
}

export interface CommandEnd {
  readonly code: number;
  readonly output: string;
}

/** Milliseconds for one command on a machine at load. */
const patience = 400_000;

async function copyRepository(folder: string): Promise<void> {
  const listed = await mustRun("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"], {
    cwd: repository,
  });
  for (const path of listed.split("\0").filter((name) => name !== "")) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    // Git still lists a file whose deletion is not committed.
    await cp(join(repository, path), join(folder, path)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
    });
  }
}

/** Entries of node_modules that are links to this repository's own packages. */
async function ownPackages(): Promise<readonly string[]> {
  const scoped = await readdir(join(repository, "node_modules/@routeql"));
  return ["hasura-checks", ...scoped.map((name) => `@routeql/${name}`)];
}

/** Libraries are links to those of the repository. The project's own packages are links inside the copy, so that it runs its own code. */
async function linkPackages(folder: string): Promise<void> {
  const modules = join(folder, "node_modules");
  await rm(modules, { recursive: true, force: true });
  await mkdir(join(modules, "@routeql"), { recursive: true });
  const own = await ownPackages();
  for (const name of await readdir(join(repository, "node_modules"))) {
    if (name !== "@routeql" && !own.includes(name))
      await symlink(join(repository, "node_modules", name), join(modules, name));
  }
  for (const name of own) {
    await symlink(await readlink(join(repository, "node_modules", name)), join(modules, name));
  }
}

/** Subject of the commit of version 0.1.0. */
const lastBefore = "Close three dangers, order the folders, add clients and checks";

/** The previous version that existing stacks may come from; undefined if the history does not include it. */
export async function versionBefore(): Promise<string | undefined> {
  const { stdout } = await run("git", ["log", "-1", "--format=%H", "--fixed-strings", `--grep=${lastBefore}`], {
    cwd: repository,
  });
  return stdout.trim() || undefined;
}

/**
 * @param settings the copy's environment file
 * @param commit to copy; by default the current files
 * @param name prefix of its folder's name
 */
export async function checkOut(
  settings: Readonly<Record<string, string>>,
  commit?: string,
  name = "routeql-checkout-",
): Promise<Checkout> {
  const folder = await mkdtemp(join(tmpdir(), name));
  if (commit === undefined) await copyRepository(folder);
  else
    await mustRun("sh", [
      "-c",
      'git -C "$1" archive "$2" | tar --extract --directory "$3"',
      "sh",
      repository,
      commit,
      folder,
    ]);
  if (commit === undefined) await linkPackages(folder);
  // An earlier version may need libraries that this one does not have.
  else await mustRun("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", folder]);
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  await writeFile(join(folder, ".env"), lines.join(""), { mode: 0o600 });
  return {
    folder,
    async takeOver() {
      await copyRepository(folder);
      await linkPackages(folder);
    },
    async edit(path, change) {
      const file = join(folder, path);
      await writeFile(file, change(await readFile(file, "utf8").catch(() => "")));
    },
    remove: (path) => rm(join(folder, path)),
    async command(name, stack, args = [], { environment = {}, through } = {}) {
      const env = { ...process.env, ROUTEQL_ENVIRONMENT_FILE: undefined, ...environment };
      const program = ["cli/main.ts", name, "--stack", stack, ...args];
      const [first, ...rest] =
        through === undefined
          ? [process.execPath, ...program]
          : [...through, process.execPath, "cli/bootstrap.mjs", name, "--stack", stack, ...args];
      const { code, stdout, stderr } = await run(first!, rest, { cwd: folder, env, timeout: patience });
      return { code, output: `${stdout}${stderr}` };
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
