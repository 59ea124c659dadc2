/**
 * Why a registry does not serve an image. The Docker engine passes on the registry's message; its own status is 404 or 500 for most
 * problems.
 * @module
 */
import { dockerHub, registryOf } from "./credentials.ts";

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
  proxy: () => "check the proxy in the Docker engine's settings (HTTP_PROXY, HTTPS_PROXY, NO_PROXY of dockerd).",
  unreachable: () =>
    "connect the Docker engine to the registry, set imageMirror to a reachable mirror, or load the image (docker load).",
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
  certificate: "the Docker engine does not trust the registry's certificate",
  proxy: "the Docker engine's proxy refuses the connection",
  unreachable: "the Docker engine cannot reach the registry",
};

/** The problem behind an error of the Docker engine. */
export function registryProblem(error: unknown, image: string, hasCredentials: boolean): RegistryProblem {
  const text = textOf(error)
    .replace(/^\(HTTP code \d+\) [^-]*- /, "")
    .trim();
  const kind = signs.find(([, pattern]) => pattern.test(text))?.[0] ?? "other";
  const reason = kind === "other" ? text : `${reasons[kind]}. Docker says: ${text}`;
  return { kind, reason, remedy: remedyFor(kind, image, hasCredentials) };
}

/** A registry that does not answer within the time limit. */
export const silentRegistry = (image: string, seconds: number): RegistryProblem => ({
  kind: "unreachable",
  reason: `${registryOf(image)} does not answer within ${seconds} s`,
  remedy: remedyFor("unreachable", image, false),
});
