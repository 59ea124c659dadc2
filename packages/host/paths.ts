import { homedir } from "node:os";
import { join, resolve } from "node:path";

export const projectFolder = resolve(import.meta.dirname, "../..");

/** Name of the Pulumi project. */
export const projectName = "routeql";

/** Cache that is shared by clones: the Pulumi CLI and its official plugins (XDG Base Directory Specification). */
export function cacheFolder(environment: NodeJS.ProcessEnv = process.env): string {
  const base = environment.XDG_CACHE_HOME?.startsWith("/")
    ? environment.XDG_CACHE_HOME
    : join(environment.HOME || homedir(), ".cache");
  return join(base, "routeql");
}

export interface StackPaths {
  readonly folder: string;
  readonly workspace: string;
  readonly state: string;
  readonly logs: string;
  readonly passphrase: string;
  readonly lock: string;
  /** Identity of the state, and the Docker daemon of the stack. */
  readonly identityFile: string;
  readonly plugins: string;
  readonly networkRange: string;
  readonly accessFile: string;
  readonly certificateFile: string;
  /** Hash of the generated password that has been shown. */
  readonly shownPassword: string;
}

export function stackPaths(stack: string): StackPaths {
  const folder = join(projectFolder, ".routeql", stack);
  return {
    folder,
    workspace: join(folder, "workspace"),
    state: join(folder, "state"),
    logs: join(folder, "logs"),
    passphrase: join(folder, "passphrase"),
    lock: join(folder, "run.lock"),
    identityFile: join(folder, "identity.json"),
    plugins: join(folder, "plugins.json"),
    networkRange: join(folder, "network-range"),
    accessFile: join(folder, "access.env"),
    certificateFile: join(folder, "ca.pem"),
    shownPassword: join(folder, "shown-password"),
  };
}
