import { realpathSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
// oxlint-disable-next-line packages/imports -- by its path, because this runs before the packages are linked
import { proxyProblem } from "../../packages/host/proxy.mjs";
import { Interrupted, runQuietly } from "./run.mjs";

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

/**
 * Runs npm with the Node of this process. Package scripts run with the Node in `scriptNode`.
 * @param {string[]} args
 * @param {{ cwd: string, scriptNode?: string, show?: (seconds: number) => void }} options
 */
export async function npm(args, { cwd, scriptNode = process.execPath, show }) {
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
  env.PATH = `${dirname(scriptNode)}${delimiter}${env.PATH ?? ""}`;
  try {
    await runQuietly(process.execPath, [npmScript(), ...args, "--no-audit", "--no-fund"], { cwd, env, show });
  } catch (error) {
    if (error instanceof Interrupted) throw error;
    throw new Error(
      `${error.message}\n\nCheck that npm reaches its registry: run \`npm ping\` (settings: registry, proxy, cafile).`,
      { cause: error },
    );
  }
}
