import { originProblem } from "./origin.ts";

export interface GatewaySettings {
  /** Only target of the plain listener's redirects: the host name or address that clients use. */
  readonly publicHost: string;
  /** Published port of the API; omitted from the redirect when it is 443. */
  readonly httpsPort: number;
  /** Published port of the API with the console. */
  readonly consolePort: number;
  readonly console: boolean;
  /** Whether the console's port forwards the engine's metadata and SQL APIs. */
  readonly metadataApi: boolean;
  /** Origins of other sites whose pages may call the API, such as `https://app.example.net`; `*` allows all. */
  readonly corsOrigins: readonly string[];
  /** Names of the session variables in permissions, such as `X-Hasura-Org-Id`; a client with the admin secret may set them. */
  readonly sessionVariables: readonly string[];
  /** `host:port` of the engine; the name is resolved without the search domains of /etc/resolv.conf. */
  readonly engineAddress: string;
  /** `host:port` of the auth sidecar. */
  readonly sidecarAddress: string;
  readonly bodyLimitKilobytes: number;
  readonly requestsPerSecondPerAddress: number;
  /** Burst of requests of one address beyond that rate. */
  readonly burst: number;
  /** Login attempts of one address per minute, also as one burst. */
  readonly loginRequestsPerMinutePerAddress: number;
  /** Concurrent connections of one address; each running HTTP/2 request and each WebSocket counts as one. */
  readonly connectionsPerAddress: number;
  /** Time in seconds that the engine may be silent before the gateway cancels a query: longer than the engine's own limit. */
  readonly queryReplySeconds: number;
  /** Idle time in seconds after which a WebSocket without a byte from the engine is closed; must exceed the engine's keep-alive. */
  readonly idleWebSocketSeconds: number;
  /** Whether the gateway counts requests and offers the metrics on port 9090. Default: false. */
  readonly metrics?: boolean;
}

const name = "[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?";
const bracketed = String.raw`\[[0-9a-fA-F:]+\]`;
const host = new RegExp(`^(?:${name}|${bracketed})$`);
const address = new RegExp(`^(?:${name}|${bracketed}):[1-9][0-9]{0,4}$`);
const sessionVariable = /^x-hasura-[a-z0-9-]+$/i;

const texts = {
  publicHost: [host, "a host name or an address"],
  engineAddress: [address, "host:port"],
  sidecarAddress: [address, "host:port"],
} as const satisfies Partial<Record<keyof GatewaySettings, readonly [RegExp, string]>>;

const numbers = {
  httpsPort: 65_535,
  consolePort: 65_535,
  bodyLimitKilobytes: 1_048_576,
  requestsPerSecondPerAddress: 100_000,
  burst: 100_000,
  loginRequestsPerMinutePerAddress: 100_000,
  connectionsPerAddress: 65_535,
  queryReplySeconds: 86_400,
  idleWebSocketSeconds: 86_400,
} as const satisfies Partial<Record<keyof GatewaySettings, number>>;

/** Rejects settings that would change meaning inside a configuration file. @throws Error that names every invalid property */
export function checkGatewaySettings(settings: GatewaySettings): void {
  const wrong = [
    ...Object.entries(texts)
      .filter(([key, [pattern]]) => !pattern.test(settings[key as keyof typeof texts]))
      .map(([key, [, meaning]]) => `${key} must be ${meaning}`),
    ...Object.entries(numbers)
      .filter(([key, most]) => !isCount(settings[key as keyof typeof numbers], most))
      .map(([key, most]) => `${key} must be a whole number from 1 to ${most}`),
  ];
  if (!settings.corsOrigins.every((origin) => origin === "*" || originProblem(origin) === undefined))
    wrong.push("corsOrigins must hold origins such as https://app.example.net, or *");
  if (!settings.sessionVariables.every((variable) => sessionVariable.test(variable)))
    wrong.push("sessionVariables must hold names such as X-Hasura-Org-Id");
  if (wrong.length > 0) throw new Error(`gateway settings: ${wrong.join("; ")}`);
}

function isCount(value: number, most: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= most;
}
