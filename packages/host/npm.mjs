import { realpathSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { proxyProblem } from "./proxy.mjs";
import { Interrupted, runQuietly } from "./run-quietly.mjs";

/** The script of npm: that of the running `npm run`, else the one on PATH. */
function npmScript() {
  const running = process.env.npm_execpath;
  if (running?.endsWith("npm-cli.js")) return running;
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    try {
      return realpathSync(join(folder, "npm"));
    } catch {
      // not in this folder
    }
  }
  throw new Error("npm is missing. Install it (on Debian and Ubuntu: apt-get install npm) and run this again.");
}

/** The registry of the outer `npm run`, which has already read npm's settings. */
const registry = () => process.env.npm_config_registry || "https://registry.npmjs.org/";

/** Settings of a user's .npmrc that install nothing here, or elsewhere, or in another order of folders than the record in node_modules has. */
const own = ["--no-dry-run", "--no-global", "--location=project", "--install-strategy=hoisted", "--bin-links"];

/**
 * Runs npm with the Node of this process.
 * @param {string[]} args
 * @param {{ cwd: string, show?: (seconds: number) => void }} options
 */
export async function npm(args, { cwd, show }) {
  const problem = await proxyProblem(registry());
  if (problem) throw new Error(`Failed: ${problem.what}.\n\nWhat to do: ${problem.remedy}`);
  // The settings of an outer npm run (folder, workspace) must not apply to this one; its registry settings must.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) =>
        !/^npm_(package|lifecycle)_|^npm_config_(prefix|local_prefix|workspace|workspaces|production|omit)$/i.test(
          name,
        ),
    ),
  );
  try {
    await runQuietly(process.execPath, [npmScript(), ...args, "--no-audit", "--no-fund", ...own], { cwd, env, show });
  } catch (error) {
    if (error instanceof Interrupted) throw error;
    throw new Error(
      `${error.message}\n\nCheck that npm reaches its registry: run \`npm ping\` (settings: registry, proxy, cafile).`,
      { cause: error },
    );
  }
}

/** Whether an error of {@link npm} means that a signal ended npm, which then has not restored its folder. */
export const wasKilled = (error) => error instanceof Interrupted || error.cause?.killed === true;

/** True while the process runs. A process of another user counts as running. */
function lives(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

/**
 * Runs `work` while no other process holds the lock. A second run waits and prints a message; it takes over the lock of a dead process.
 * @param {string} folder the folder that serves as the lock
 * @param {() => Promise<void>} work
 */
export async function withLock(folder, work) {
  let said = false;
  let withoutHolder = 0;
  for (;;) {
    try {
      await mkdir(folder);
      break;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    const holder = Number(await readFile(`${folder}/pid`, "utf8").catch(() => "0"));
    // The holder writes its id right after it creates the folder. A folder that stays without an id belongs to a killed run.
    withoutHolder = holder === 0 ? withoutHolder + 1 : 0;
    if (holder === 0 ? withoutHolder > 20 : !lives(holder)) {
      await rm(folder, { recursive: true, force: true });
      continue;
    }
    if (!said && holder !== 0)
      console.error(`Waiting for another run (process ${holder}) that installs the dependencies…`);
    said = said || holder !== 0;
    await sleep(250);
  }
  try {
    await writeFile(`${folder}/pid`, String(process.pid));
    await work();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
