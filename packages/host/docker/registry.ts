/** Why a registry does not serve an image: its message, since the daemon's own status is 404 or 500 for most problems. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

export type RegistryProblemKind =
  | "login"
  | "denied"
  | "name"
  | "rate"
  | "certificate"
  | "proxy"
  | "unreachable"
  | "other";

export interface RegistryProblem {
  readonly kind: RegistryProblemKind;
  /** The reason, as the end of the sentence "<image> cannot be pulled: …". */
  readonly reason: string;
  readonly remedy: string;
}

/** In this order: messages of an earlier kind may contain the words of a later kind. */
const signs: readonly (readonly [RegistryProblemKind, RegExp])[] = [
  ["rate", /toomanyrequests|too many requests|rate limit|\b429\b/i],
  ["proxy", /proxyconnect|proxy authentication|\b407\b/i],
  ["certificate", /x509|certificate|tls: |server gave HTTP response to HTTPS client/i],
  ["login", /unauthorized|authentication required|no basic auth credentials|\b401\b/i],
  ["denied", /denied|forbidden|\b403\b/i],
  ["name", /manifest unknown|name unknown|not found|invalid reference|\b404\b/i],
  [
    "unreachable",
    /no such host|connection refused|no route to host|network is unreachable|i\/o timeout|timeout exceeded|deadline exceeded|connection reset|\bEOF\b|server misbehaving|temporary failure in name resolution|\b50[234]\b/i,
  ],
];

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

interface Circumstances {
  readonly registry: string;
  readonly login: string;
  readonly hasCredentials: boolean;
}

const remedies: Readonly<Record<RegistryProblemKind, (circumstances: Circumstances) => string>> = {
  login: ({ login, hasCredentials }) =>
    hasCredentials ? `the registry rejects the stored credentials: run ${login} again.` : `run ${login}.`,
  // Docker Hub answers "denied" for a private image and for one that does not exist.
  denied: ({ login, hasCredentials }) =>
    hasCredentials
      ? "request access to the repository, or check the image's name."
      : `check the image's name; if the repository is private, run ${login}.`,
  name: () => "check the image's name and tag.",
  rate: ({ login, hasCredentials }) =>
    hasCredentials
      ? "wait until the limit is reset, or set imageMirror to a mirror."
      : `run ${login} for a higher limit, wait, or set imageMirror to a mirror.`,
  certificate: ({ registry }) =>
    `put the registry's certificate authority into /etc/docker/certs.d/${registry}/ca.crt on the Docker host.`,
  proxy: () => "check the proxy in the Docker daemon's settings (HTTP_PROXY, HTTPS_PROXY, NO_PROXY of dockerd).",
  unreachable: () =>
    "connect the Docker daemon to the registry, set imageMirror to a reachable mirror, or load the image (docker load).",
  other: () => "see the reason above.",
};

function remedyFor(kind: RegistryProblemKind, image: string, hasCredentials: boolean): string {
  const registry = registryOf(image);
  return remedies[kind]({
    registry,
    login: `docker login${registry === dockerHub ? "" : ` ${registry}`}`,
    hasCredentials,
  });
}

const reasons: Readonly<Record<Exclude<RegistryProblemKind, "other">, string>> = {
  login: "the registry requires a login (401)",
  denied: "the registry denies access (403)",
  name: "the registry has no image of this name and tag (404)",
  rate: "the registry's rate limit is reached (429)",
  certificate: "the Docker daemon does not trust the registry's certificate",
  proxy: "the Docker daemon's proxy refuses the connection",
  unreachable: "the Docker daemon cannot reach the registry",
};

/** The problem behind an error of the Docker daemon. */
export function registryProblem(error: unknown, image: string, hasCredentials: boolean): RegistryProblem {
  const text = textOf(error)
    .replace(/^\(HTTP code \d+\) [^-]*- /, "")
    .trim();
  const kind = signs.find(([, pattern]) => pattern.test(text))?.[0] ?? "other";
  const reason = kind === "other" ? text : `${reasons[kind]}. Docker says: ${text}`;
  return { kind, reason, remedy: remedyFor(kind, image, hasCredentials) };
}

export const silentRegistry = (image: string, seconds: number): RegistryProblem => ({
  kind: "unreachable",
  reason: `${registryOf(image)} does not answer within ${seconds} s`,
  remedy: remedyFor("unreachable", image, false),
});

/** Content of `X-Registry-Auth` for the Docker daemon. `docker login` writes the credentials to config.json or to a helper. */
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
  readonly auths?: Readonly<Record<string, AuthEntry | null>> | null;
  readonly credsStore?: string | null;
  readonly credHelpers?: Readonly<Record<string, string>> | null;
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

const dockerConfigFolder = (): string => process.env["DOCKER_CONFIG"] || join(homedir(), ".docker");

async function readConfig(folder: string): Promise<DockerConfig> {
  const path = join(folder, "config.json");
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "{}";
    // `sudo docker login` writes a file that only root reads.
    throw new Error(
      `${path} cannot be read (${error.code ?? error.message}). Give it to this user (sudo chown -R "$USER" ${folder}).`,
      { cause: error },
    );
  });
  try {
    // The docker command reads an empty file and null as no settings.
    return text.trim() === "" ? {} : ((JSON.parse(text) as DockerConfig | null) ?? {});
  } catch (error) {
    throw new Error(`${path} is not valid JSON. Correct it, or remove it and run docker login again.`, {
      cause: error,
    });
  }
}

interface HelperAnswer {
  readonly Username?: string;
  readonly Secret?: string;
}

/** The parser's own message would quote the answer, which has a password. */
function answerOf(program: string, text: string): HelperAnswer {
  try {
    return (JSON.parse(text) as HelperAnswer | null) ?? {};
  } catch {
    throw new Error(`${program}, set in Docker's configuration, does not print JSON alone. Run it, and correct it.`);
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
            (error as NodeJS.ErrnoException).code === "ENOENT"
              ? `${program}, set in Docker's configuration for ${hostOf(key)}, is not installed. Install it, or remove credsStore and credHelpers from ${join(dockerConfigFolder(), "config.json")} and run docker login again.`
              : `${program}, set in Docker's configuration for ${hostOf(key)}, failed: ${stdout.trim() || error.message}`,
            { cause: error },
          ),
        );
    });
    // A helper that exits early closes its input.
    child.stdin?.on("error", () => undefined).end(key);
  });
  if (answer === undefined) return undefined;
  const { Username: username = "", Secret: secret = "" } = answerOf(program, answer);
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

/** Credentials of a registry in Docker's order: helper, store, file. @throws {Error} for an unreadable configuration or a failed helper */
export async function credentialsFor(
  image: string,
  folder: string = dockerConfigFolder(),
): Promise<RegistryCredentials | undefined> {
  const registry = registryOf(image);
  const key = registry === dockerHub ? dockerHubKey : registry;
  const { auths: given, credsStore, credHelpers } = await readConfig(folder);
  const helper = credHelpers?.[key] ?? credHelpers?.[registry] ?? credsStore;
  if (helper) return askHelper(helper, key);
  const auths = given ?? {};
  const entry = auths[key] ?? Object.entries(auths).find(([name]) => hostOf(name) === hostOf(key))?.[1];
  return entry ? fromEntry(entry, key) : undefined;
}
