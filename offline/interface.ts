/** The only module that the kit uses of this folder. Each function loads its room when it is called, because most commands need none. */
import { join } from "node:path";
import type { Work } from "@routeql/host/work";
import { replacedPlugins } from "./plugins/replaced.ts";
import type { RunningPlugins } from "./plugins/start.ts";

/** The version of the Pulumi CLI in pulumi-cli/go.mod; a module proxy may reject other versions. */
export const cliVersion = "3.256.0";

/** Builds the Pulumi CLI from Go modules into `<root>/bin/pulumi`. */
export async function buildCli(root: string, work: Work): Promise<void> {
  const { buildCli: build } = await import("./pulumi-cli/build.ts");
  await build(root, cliVersion, work);
}

/** Names and folders of the replacement plugins, for the project settings of Pulumi. */
export const pluginFolders = (): { name: string; path: string }[] =>
  replacedPlugins.map((name) => ({ name, path: join(import.meta.dirname, "plugins", name) }));

/** Starts the replacement plugins for one run of Pulumi; `onLine` receives the lines of their standard error. */
export async function startPlugins(
  environment: NodeJS.ProcessEnv,
  onLine: (line: string) => void,
): Promise<RunningPlugins> {
  const { startPlugins: start } = await import("./plugins/start.ts");
  return start(replacedPlugins, environment, onLine);
}

/** Name of the image that replaces the official Node image. */
export const nodeImage = "routeql/node:24.21.0";

/** Builds {@link nodeImage} from this machine's Node and npm on a Debian image. */
export async function buildNodeImage(debianBase: string, work: Work): Promise<void> {
  const { buildNodeBase } = await import("./base-images/node.ts");
  await buildNodeBase(nodeImage, debianBase, work);
}

export async function buildDebianImage(name: string, work: Work): Promise<void> {
  const { buildDebianBase } = await import("./base-images/debian.ts");
  await buildDebianBase(name, work);
}

/** Installs Debian's Docker daemon if it is missing, and starts it. @param answersWithin milliseconds for its answer */
export async function startDockerDaemon(
  answersWithin: (milliseconds: number) => Promise<boolean>,
  work: Omit<Work, "show">,
): Promise<void> {
  const { installDaemon, startDaemon } = await import("./docker-daemon/daemon.ts");
  await installDaemon(work);
  work.say("starting the Docker daemon");
  await startDaemon(answersWithin, work);
}
