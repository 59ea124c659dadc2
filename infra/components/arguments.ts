// Generated from infra/settings/list.ts by `node infra/settings/generate.ts`; do not edit.
import type { Input } from "@pulumi/pulumi";

/** Arguments of the component; each may be left out. Those that decide which resources there are have to be known at once. */
export interface RouteQLArgs {
  /** The master key: whoever sends it in `X-Engine-Access-Key` may do everything the engine can do. Allowed: at least 32 random characters. Default: generated. */
  readonly engineAccessKey?: Input<string>;
  /** The key that callers of the session endpoints send in `x-service-api-key`. Allowed: at least 32 random characters. Default: generated. */
  readonly serviceApiKey?: Input<string>;
  /** Whether the console is served at `/` of the console port. Default: `false`; `true` in the stack `local`. */
  readonly engineConsole?: boolean;
  /** E-mail of the first administrator (role `operator`), who is created once, when there is no user. Allowed: an e-mail address. Default: `admin@example.net`. */
  readonly adminEmail?: string;
  /** Password of the first administrator. It is used once; later changes are made in the database of users. Allowed: at least 12 random characters. Default: generated. */
  readonly adminPassword?: Input<string>;
  /** The name clients use; it is in the URLs and in the certificate that is made here. Allowed: a host name or an IP address. Default: `localhost`. */
  readonly publicHost?: string;
  /** The address of the Docker host on which the three ports are published; `0.0.0.0` publishes them on all. Allowed: an IP address. Default: `127.0.0.1`. */
  readonly hostAddress?: string;
  /** Published port that redirects to https. Allowed: 1 to 65535. Default: `80`. */
  readonly httpPort?: number;
  /** Published port of the API. Allowed: 1 to 65535. Default: `443`. */
  readonly httpsPort?: number;
  /** Published port of the API and, if it is enabled, the console. Allowed: 1 to 65535. Default: `32000`. */
  readonly consolePort?: number;
  /** Own certificate (PEM, with its chain). Without it one is made, signed by an authority of the stack's own. Default: none. */
  readonly tlsCertificateFile?: string;
  /** Private key (PEM) of the own certificate. Default: none. */
  readonly tlsPrivateKeyFile?: string;
  /** Seconds until an access token expires. Allowed: 60 to 3600. Default: `900`. */
  readonly tokenLifeSeconds?: number;
  /** Seconds without use after which a session ends. Allowed: 60 to 86400. Default: `900`. */
  readonly sessionIdleSeconds?: number;
  /** Seconds after login at which a session ends in any case. Allowed: 60 to 604800. Default: `28800`. */
  readonly sessionAbsoluteSeconds?: number;
  /** Failed logins of one account, from any address, before it has to wait. Allowed: 1 to 1000. Default: `10`. */
  readonly loginAttemptsPerAccount?: number;
  /** Failed logins from one address, to any account, before it has to wait. Allowed: 1 to 10000. Default: `50`. */
  readonly loginAttemptsPerAddress?: number;
  /** Largest body of a request, in KiB. Allowed: 1 to 10240. Default: `256`. */
  readonly bodyLimitKilobytes?: number;
  /** Deepest nesting of a GraphQL operation. Allowed: 1 to 100. Default: `10`. */
  readonly queryDepth?: number;
  /** Most fields of a GraphQL operation, all levels together. Allowed: 1 to 10000. Default: `500`. */
  readonly queryBreadth?: number;
  /** Seconds after which Postgres gives up a statement of the engine. Allowed: 1 to 3600. Default: `30`. */
  readonly statementTimeoutSeconds?: number;
  /** Connections of the engine to Postgres. Allowed: 1 to 200. Default: `10`. */
  readonly enginePoolSize?: number;
  /** Requests a second from one address that the gateway lets through. Allowed: 1 to 100000. Default: `50`. */
  readonly requestsPerSecondPerAddress?: number;
  /** Requests from one address above that rate that are served at once before more are answered 429. Allowed: 1 to 100000. Default: `100`. */
  readonly requestBurst?: number;
  /** Requests a minute from one address to the paths that take a password. Allowed: 1 to 100000. Default: `30`. */
  readonly loginRequestsPerMinutePerAddress?: number;
  /** Connections open at the same time from one address, WebSockets included. Allowed: 1 to 65535. Default: `100`. */
  readonly connectionsPerAddress?: number;
  /** Seconds after which the gateway closes a WebSocket on which nothing moved, not even a keep-alive. Allowed: 10 to 86400. Default: `120`. */
  readonly idleWebSocketSeconds?: number;
  /** What the engine and the auth sidecar log, and all that is graver. Allowed: debug, info, warn, error. Default: `info`. */
  readonly logLevel?: string;
  /** The image that the images are built on. Allowed: an image. Default: `debian:trixie-slim`. */
  readonly debianBase?: string;
  /** The image with Node 24 and npm in which the packages are installed during a build. Allowed: an image. Default: `node:24.21.0-trixie-slim`. */
  readonly nodeBase?: string;
}
