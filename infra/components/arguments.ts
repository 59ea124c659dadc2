// Generated from infra/settings/list.ts by `npm run documents`; do not edit.
import type { Input } from "@pulumi/pulumi";

/** Arguments of the component; each may be left out. */
export interface RouteQLArgs {
  /**
   * The master key: whoever sends it in `X-Engine-Access-Key` may do everything the engine can do.
   * Default: generated. Allowed: at least 32 random characters.
   */
  readonly engineAccessKey?: Input<string>;
  /**
   * The key that callers of the session endpoints send in `x-service-api-key`.
   * Default: generated. Allowed: at least 32 random characters.
   */
  readonly serviceApiKey?: Input<string>;
  /**
   * Whether the console is served at `/` of the console port.
   * Default: `false`; `true` in the stack `local`.
   */
  readonly engineConsole?: boolean;
  /**
   * E-mail of the first administrator (role `operator`), who is created once, when there is no user.
   * Default: `admin@example.net`. Allowed: an e-mail address.
   */
  readonly adminEmail?: string;
  /**
   * Password of the first administrator. It is used once; later changes are made in the database of users.
   * Default: generated. Allowed: at least 12 random characters.
   */
  readonly adminPassword?: Input<string>;
  /**
   * The name clients use; it is in the URLs and in the certificate that is made here.
   * Default: `localhost`. Allowed: a host name or an IP address.
   */
  readonly publicHost?: string;
  /**
   * The address of the Docker host on which the three ports are published; `0.0.0.0` publishes them on all.
   * Default: `127.0.0.1`. Allowed: an IP address.
   */
  readonly hostAddress?: string;
  /**
   * Published port that redirects to https.
   * Default: `80`. Allowed: 1 to 65535.
   */
  readonly httpPort?: number;
  /**
   * Published port of the API.
   * Default: `443`. Allowed: 1 to 65535.
   */
  readonly httpsPort?: number;
  /**
   * Published port of the API and, if it is enabled, the console.
   * Default: `32000`. Allowed: 1 to 65535.
   */
  readonly consolePort?: number;
  /**
   * Own certificate (PEM, with its chain). Without it one is made, signed by an authority of the stack's own.
   * Default: none.
   */
  readonly tlsCertificateFile?: string;
  /**
   * Private key (PEM) of the own certificate.
   * Default: none.
   */
  readonly tlsPrivateKeyFile?: string;
  /**
   * Seconds until an access token expires.
   * Default: `900`. Allowed: 60 to 3600.
   */
  readonly tokenLifeSeconds?: number;
  /**
   * Seconds without use after which a session ends.
   * Default: `900`. Allowed: 60 to 86400.
   */
  readonly sessionIdleSeconds?: number;
  /**
   * Seconds after login at which a session ends in any case.
   * Default: `28800`. Allowed: 60 to 604800.
   */
  readonly sessionAbsoluteSeconds?: number;
  /**
   * Failed logins of one account, from any address, before it has to wait.
   * Default: `10`. Allowed: 1 to 1000.
   */
  readonly loginAttemptsPerAccount?: number;
  /**
   * Failed logins from one address, to any account, before it has to wait.
   * Default: `50`. Allowed: 1 to 10000.
   */
  readonly loginAttemptsPerAddress?: number;
  /**
   * Signature of access tokens. A change rotates the signing key; no token is refused meanwhile.
   * Default: `ES256`. Allowed: ES256, EdDSA, RS256.
   */
  readonly tokenAlgorithm?: string;
  /**
   * Hours after which the signing key is replaced by itself; 0 for never.
   * Default: `720`. Allowed: 0 to 8784.
   */
  readonly keyRotationHours?: number;
  /**
   * Which of the generated keys encrypts the private signing keys in the database. Raised by one, the next is made and the signing keys are stored again under it; never lowered.
   * Default: `1`. Allowed: 1 to 1000.
   */
  readonly keyEncryptionKeyGeneration?: number;
  /**
   * Seconds in which failed logins count, and the longest time that a refusal lasts.
   * Default: `900`. Allowed: 60 to 86400.
   */
  readonly loginWindowSeconds?: number;
  /**
   * Password hashes that the auth sidecar computes at the same time; each takes a core and 19 MiB.
   * Default: `2`. Allowed: 1 to 16.
   */
  readonly passwordHashConcurrency?: number;
  /**
   * Logins that may wait for a password hash; more are answered 429.
   * Default: `64`. Allowed: 0 to 10000.
   */
  readonly passwordHashQueue?: number;
  /**
   * The directory's servers, tried in turn, parted by blanks or commas. Without it there is no directory login.
   * Default: none. Allowed: addresses that start with ldap:// or ldaps://.
   */
  readonly ldapUrl?: string;
  /**
   * Whether connections to ldap:// start TLS.
   * Default: `false`.
   */
  readonly ldapStarttls?: boolean;
  /**
   * Allows ldap:// without StartTLS, which sends passwords readable.
   * Default: `false`.
   */
  readonly ldapPlaintext?: boolean;
  /**
   * Authority (PEM) that the servers' certificates come from. Without it the public ones are trusted.
   * Default: none.
   */
  readonly ldapCaFile?: string;
  /**
   * The account that searches the directory. Without it the search is anonymous.
   * Default: none.
   */
  readonly ldapBindDn?: string;
  /**
   * Password of the account that searches.
   * Default: none.
   */
  readonly ldapBindPassword?: Input<string>;
  /**
   * Where accounts are searched, in the whole subtree. Needed with a directory.
   * Default: none.
   */
  readonly ldapUserBase?: string;
  /**
   * Finds the account of what was typed as its name.
   * Default: `(mail={{username}})`. Allowed: a filter with {{username}}.
   */
  readonly ldapUserFilter?: string;
  /**
   * What else an account must satisfy, at login and at each use of its session.
   * Default: none. Allowed: a filter.
   */
  readonly ldapActiveFilter?: string;
  /**
   * What names an account for ever; objectGUID for Active Directory, ipaUniqueID for FreeIPA.
   * Default: `entryUUID`. Allowed: the name of an attribute.
   */
  readonly ldapIdAttribute?: string;
  /**
   * An account's e-mail address.
   * Default: `mail`. Allowed: the name of an attribute.
   */
  readonly ldapEmailAttribute?: string;
  /**
   * An account's name.
   * Default: `cn`. Allowed: the name of an attribute.
   */
  readonly ldapNameAttribute?: string;
  /**
   * An account's organisation, for accounts with the role `tenant`.
   * Default: `o`. Allowed: the name of an attribute.
   */
  readonly ldapOrganisationAttribute?: string;
  /**
   * Where groups are searched. Without it the account's memberOf counts.
   * Default: none.
   */
  readonly ldapGroupBase?: string;
  /**
   * Finds the groups of an account.
   * Default: `(member={{dn}})`. Allowed: a filter with {{dn}}.
   */
  readonly ldapGroupFilter?: string;
  /**
   * Who has which role: the first entry that holds counts. Whoever is in none is `pending` and gets no token.
   * Default: none. Allowed: an ordered list `role: group; …`, a group by its DN or cn, * for all.
   */
  readonly ldapRoles?: string;
  /**
   * Longest wait for one answer of a server.
   * Default: `3000`. Allowed: 100 to 30000.
   */
  readonly ldapTimeoutMilliseconds?: number;
  /**
   * Largest body of a request, in KiB.
   * Default: `256`. Allowed: 1 to 10240.
   */
  readonly bodyLimitKilobytes?: number;
  /**
   * Deepest nesting of a GraphQL operation.
   * Default: `10`. Allowed: 1 to 100.
   */
  readonly queryDepth?: number;
  /**
   * Most fields of a GraphQL operation, all levels together.
   * Default: `500`. Allowed: 1 to 10000.
   */
  readonly queryBreadth?: number;
  /**
   * Seconds after which Postgres gives up a statement of the engine.
   * Default: `30`. Allowed: 1 to 3600.
   */
  readonly statementTimeoutSeconds?: number;
  /**
   * Connections of the engine to Postgres.
   * Default: `10`. Allowed: 1 to 200.
   */
  readonly enginePoolSize?: number;
  /**
   * Requests a second from one address that the gateway lets through.
   * Default: `50`. Allowed: 1 to 100000.
   */
  readonly requestsPerSecondPerAddress?: number;
  /**
   * Requests from one address above that rate that are served at once before more are answered 429.
   * Default: `100`. Allowed: 1 to 100000.
   */
  readonly requestBurst?: number;
  /**
   * Requests a minute from one address to the paths that take a password.
   * Default: `30`. Allowed: 1 to 100000.
   */
  readonly loginRequestsPerMinutePerAddress?: number;
  /**
   * Connections open at the same time from one address, WebSockets included.
   * Default: `100`. Allowed: 1 to 65535.
   */
  readonly connectionsPerAddress?: number;
  /**
   * Seconds after which the gateway closes a WebSocket on which nothing moved, not even a keep-alive.
   * Default: `120`. Allowed: 10 to 86400.
   */
  readonly idleWebSocketSeconds?: number;
  /**
   * What the engine and the auth sidecar log, and all that is graver.
   * Default: `info`. Allowed: debug, info, warn, error.
   */
  readonly logLevel?: string;
  /**
   * The image that the images are built on.
   * Default: `debian:trixie-slim`. Allowed: an image.
   */
  readonly debianBase?: string;
  /**
   * The image with Node 24 and npm in which the packages are installed during a build.
   * Default: `node:24.21.0-trixie-slim`. Allowed: an image.
   */
  readonly nodeBase?: string;
}
