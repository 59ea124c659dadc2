/**
 * Credentials of the Docker command line: `docker login` writes them to config.json or to a credential helper.
 * @module
 */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

/** Content of `X-Registry-Auth` for the Docker engine. */
export type RegistryCredentials =
  | { readonly username: string; readonly password: string; readonly serveraddress: string }
  | { readonly identitytoken: string; readonly serveraddress: string }
  | { readonly registrytoken: string; readonly serveraddress: string };

interface AuthEntry {
  readonly auth?: string;
  readonly username?: string;
  readonly password?: string;
  readonly identitytoken?: string;
  readonly registrytoken?: string;
}

interface DockerConfig {
  readonly auths?: Readonly<Record<string, AuthEntry>>;
  readonly credsStore?: string;
  readonly credHelpers?: Readonly<Record<string, string>>;
}

/** Name of Docker Hub in image references, and its key in config.json. */
export const dockerHub = "docker.io";
const dockerHubKey = "https://index.docker.io/v1/";

/** Registry of an image: the first segment of the name if it is a host, else Docker Hub. */
export function registryOf(image: string): string {
  const [first = "", ...rest] = image.split("/");
  const isHost = rest.length > 0 && (/[.:]/.test(first) || first === "localhost");
  return isHost && first !== "index.docker.io" ? first : dockerHub;
}

const hostOf = (key: string): string => key.replace(/^https?:\/\//, "").replace(/\/.*$/, "");

/** Folder of the Docker command line's configuration. */
const dockerConfigFolder = (): string => process.env["DOCKER_CONFIG"] || join(homedir(), ".docker");

async function readConfig(folder: string): Promise<DockerConfig> {
  const path = join(folder, "config.json");
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "{}";
    throw error;
  });
  try {
    return JSON.parse(text) as DockerConfig;
  } catch (error) {
    throw new Error(`${path} is not valid JSON. Correct it, or remove it and run docker login again.`, {
      cause: error,
    });
  }
}

/** Asks a credential helper (`docker-credential-<name> get`); undefined if it has no credentials for the registry. */
async function askHelper(name: string, key: string): Promise<RegistryCredentials | undefined> {
  const program = `docker-credential-${name}`;
  const answer = await new Promise<string | undefined>((resolve, reject) => {
    const child = execFile(program, ["get"], { timeout: 30_000 }, (error, stdout) => {
      if (error === null) resolve(stdout);
      else if (/credentials not found/.test(stdout)) resolve(undefined);
      else
        reject(
          new Error(
            `${program}, set in Docker's configuration for ${hostOf(key)}, failed: ${stdout.trim() || error.message}`,
            { cause: error },
          ),
        );
    });
    // A helper that exits early closes its input.
    child.stdin?.on("error", () => undefined).end(key);
  });
  if (answer === undefined) return undefined;
  const { Username: username = "", Secret: secret = "" } = JSON.parse(answer) as { Username?: string; Secret?: string };
  if (secret === "") return undefined;
  return username === "<token>"
    ? { identitytoken: secret, serveraddress: key }
    : { username, password: secret, serveraddress: key };
}

function fromEntry(entry: AuthEntry, serveraddress: string): RegistryCredentials | undefined {
  if (entry.identitytoken) return { identitytoken: entry.identitytoken, serveraddress };
  if (entry.registrytoken) return { registrytoken: entry.registrytoken, serveraddress };
  const decoded = Buffer.from(entry.auth ?? "", "base64")
    .toString("utf8")
    .replace(/\0+$/, "");
  const separator = decoded.indexOf(":");
  const username = entry.username ?? (separator < 0 ? "" : decoded.slice(0, separator));
  const password = entry.password ?? (separator < 0 ? "" : decoded.slice(separator + 1));
  return username === "" ? undefined : { username, password, serveraddress };
}

/**
 * Credentials of an image's registry, in Docker's order: the helper of this registry, the store, the file.
 * @throws {Error} when the configuration cannot be read or a helper fails
 */
export async function credentialsFor(
  image: string,
  folder: string = dockerConfigFolder(),
): Promise<RegistryCredentials | undefined> {
  const registry = registryOf(image);
  const key = registry === dockerHub ? dockerHubKey : registry;
  const { auths = {}, credsStore, credHelpers = {} } = await readConfig(folder);
  const helper = credHelpers[key] ?? credHelpers[registry] ?? credsStore;
  if (helper) return askHelper(helper, key);
  const entry = auths[key] ?? Object.entries(auths).find(([name]) => hostOf(name) === hostOf(key))?.[1];
  return entry && fromEntry(entry, key);
}
