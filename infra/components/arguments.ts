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
   * The GraphQL engine: this project's own, or Hasura v2.
   * Default: `embedded`; `hasura` in the stack `dev`; `hasura` in the stack `prod`. Allowed: embedded, hasura.
   */
  readonly engine?: string;
  /**
   * The image of Hasura v2, used with the engine `hasura`. `routeql/engine` is this project's own engine in its place.
   * Default: `hasura/graphql-engine:v2.48.16`. Allowed: an image.
   */
  readonly hasuraImage?: string;
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
   * Default: `10`. Allowed: 1 to 60.
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
   * Where the database runs: one of the stack's own (`single`), one outside (`external`), or, on Kubernetes, a cluster of several that the operator CloudNativePG looks after (`cloudnative-pg`). Data do not move with a change.
   * Default: `single`. Allowed: single, external, cloudnative-pg.
   */
  readonly database?: string;
  /**
   * The external database, with an administrator who may make roles and databases; no superuser is needed. Only the job that migrates uses it: it makes the roles that the parts log in with, and the database if it is missing.
   * Default: none. Allowed: postgres://<administrator>:<password>@<host>[:<port>]/<database>.
   */
  readonly databaseUrl?: Input<string>;
  /**
   * Authority (PEM) of the external database's certificate. With it every connection to the database is encrypted and checks the server's name.
   * Default: none.
   */
  readonly databaseCaFile?: string;
  /**
   * Where the session store runs: one of the stack's own (`single`), or one outside (`external`).
   * Default: `single`. Allowed: single, external.
   */
  readonly sessions?: string;
  /**
   * The external session store, Redis or Valkey; rediss:// encrypts and checks the server's name.
   * Default: none. Allowed: redis[s]://[<user>]:<password>@<host>[:<port>][/<number>].
   */
  readonly sessionsUrl?: Input<string>;
  /**
   * Authority (PEM) of the external session store's certificate, where it is not a public one; with it every connection is encrypted.
   * Default: none.
   */
  readonly sessionsCaFile?: string;
  /**
   * What the stack runs on: one Docker host, or a Kubernetes cluster (1.29 or newer).
   * Default: `docker`; `kubernetes` in the stack `prod`. Allowed: docker, kubernetes.
   */
  readonly target?: string;
  /**
   * Kubernetes: the namespace of the stack. Without it: `routeql-` and the name of the stack.
   * Default: none. Allowed: a name of small letters, digits and hyphens.
   */
  readonly namespace?: string;
  /**
   * Kubernetes: whether the namespace is made (and removed) with the stack. If not, it has to be there.
   * Default: `true`.
   */
  readonly createNamespace?: boolean;
  /**
   * Kubernetes: the end of every DNS name of the cluster.
   * Default: `cluster.local`. Allowed: a name of small letters, digits, hyphens and dots.
   */
  readonly clusterDomain?: string;
  /**
   * Kubernetes: the registry that the nodes take this project's images from, as `<registry>/routeql/<image>:<hash>`. Without it the images have to be on the nodes.
   * Default: none. Allowed: the address of a registry, without https:// and without a slash at its end.
   */
  readonly imageRegistry?: string;
  /**
   * Kubernetes: whether the images are built here, by Docker, and pushed to the registry. If not, they have to be there.
   * Default: `false`.
   */
  readonly pushImages?: boolean;
  /**
   * Kubernetes: the Secret of the namespace with which the nodes log in to the registry.
   * Default: none. Allowed: a name of small letters, digits, hyphens and dots.
   */
  readonly imagePullSecret?: string;
  /**
   * Kubernetes: how the gateway is reached. For NodePort the three ports have to be in the cluster's range of them.
   * Default: `LoadBalancer`. Allowed: LoadBalancer, NodePort, ClusterIP.
   */
  readonly gatewayService?: string;
  /**
   * Kubernetes: annotations of the gateway's Service, which tell a cloud what load balancer to make.
   * Default: none. Allowed: a list name=value,name=value.
   */
  readonly gatewayAnnotations?: string;
  /**
   * Kubernetes: pods of the gateway, at least.
   * Default: `2`. Allowed: 1 to 100.
   */
  readonly gatewayReplicas?: number;
  /**
   * Kubernetes: pods of the gateway, at most. If that is more than at least, their number follows the load.
   * Default: `6`. Allowed: 1 to 100.
   */
  readonly gatewayReplicasMost?: number;
  /**
   * Kubernetes: pods of the engine, at least.
   * Default: `2`. Allowed: 1 to 100.
   */
  readonly engineReplicas?: number;
  /**
   * Kubernetes: pods of the engine, at most; each has `enginePoolSize` connections to the database.
   * Default: `4`. Allowed: 1 to 100.
   */
  readonly engineReplicasMost?: number;
  /**
   * Kubernetes: pods of the auth sidecar, at least.
   * Default: `2`. Allowed: 1 to 100.
   */
  readonly sidecarReplicas?: number;
  /**
   * Kubernetes: pods of the auth sidecar, at most; each has 10 connections to the database.
   * Default: `3`. Allowed: 1 to 100.
   */
  readonly sidecarReplicasMost?: number;
  /**
   * Kubernetes: the issuer of cert-manager's that the gateway's certificate comes from, and is renewed by.
   * Default: none. Allowed: a name of small letters, digits, hyphens and dots.
   */
  readonly certificateIssuer?: string;
  /**
   * Kubernetes: whether that issuer is one of the cluster or one of the namespace.
   * Default: `ClusterIssuer`. Allowed: ClusterIssuer, Issuer.
   */
  readonly certificateIssuerKind?: string;
  /**
   * Kubernetes: a Secret of the namespace with the gateway's certificate and key (`tls.crt`, `tls.key`), which somebody else makes and renews.
   * Default: none. Allowed: a name of small letters, digits, hyphens and dots.
   */
  readonly certificateSecret?: string;
  /**
   * Kubernetes: the class of the volumes. Without it: the cluster's default.
   * Default: none. Allowed: a name of small letters, digits, hyphens and dots.
   */
  readonly storageClass?: string;
  /**
   * Kubernetes: size of the database's volume; of each, if there are several.
   * Default: `20Gi`. Allowed: a size such as 20Gi.
   */
  readonly databaseStorage?: string;
  /**
   * Kubernetes: size of the session store's volume.
   * Default: `1Gi`. Allowed: a size such as 20Gi.
   */
  readonly sessionsStorage?: string;
  /**
   * Kubernetes: the namespace whose pods may read the metrics, port 9090 of the engine and the auth sidecar. Without it: none.
   * Default: none. Allowed: a name of small letters, digits and hyphens.
   */
  readonly metricsNamespace?: string;
  /**
   * CloudNativePG: copies of the database; one takes changes, the others follow it and take its place.
   * Default: `3`. Allowed: 1 to 9.
   */
  readonly databaseInstances?: number;
  /**
   * CloudNativePG: whether the engine reads from the copies, if there are any. If not, from the one that takes changes, as Hasura has to where its version cannot work on a copy.
   * Default: `true`.
   */
  readonly databaseReadFromCopies?: boolean;
  /**
   * CloudNativePG: the image of Postgres 17.
   * Default: `ghcr.io/cloudnative-pg/postgresql:17.9-standard-trixie`. Allowed: an image.
   */
  readonly databaseClusterImage?: string;
  /**
   * CloudNativePG: the namespace of the operator, which has to reach the database.
   * Default: `cnpg-system`. Allowed: a name of small letters, digits and hyphens.
   */
  readonly databaseOperatorNamespace?: string;
  /**
   * CloudNativePG: where in the object storage backups and all changes since go. Without it there are none.
   * Default: none. Allowed: an address such as s3://bucket/folder.
   */
  readonly backupDestination?: string;
  /**
   * CloudNativePG: the address of an object storage other than Amazon's.
   * Default: none. Allowed: an address such as https://storage.example.net.
   */
  readonly backupEndpoint?: string;
  /**
   * CloudNativePG: the login for the object storage. Without it the role of the nodes counts.
   * Default: none.
   */
  readonly backupAccessKeyId?: Input<string>;
  /**
   * CloudNativePG: the password for the object storage.
   * Default: none.
   */
  readonly backupSecretAccessKey?: Input<string>;
  /**
   * CloudNativePG: when a backup of everything is made, in UTC: second, minute, hour, day, month, day of the week.
   * Default: `0 0 2 * * *`. Allowed: six fields such as 0 0 2 * * *.
   */
  readonly backupSchedule?: string;
  /**
   * CloudNativePG: days back to any point of which the database can be restored.
   * Default: `30`. Allowed: 1 to 3650.
   */
  readonly backupRetentionDays?: number;
  /**
   * Whether the database, the session store and the gateway run on images built here from Debian's packages, or on the official ones that the next three settings name. Not to be changed once there are data: the files belong to another user.
   * Default: `built`; `official` in the stack `dev`. Allowed: built, official.
   */
  readonly images?: string;
  /**
   * The official image of the database: Postgres 17 on Debian.
   * Default: `postgres:17.9`. Allowed: an image.
   */
  readonly databaseImage?: string;
  /**
   * The official image of the session store: Valkey 8 on Debian.
   * Default: `valkey/valkey:8.1.10`. Allowed: an image.
   */
  readonly sessionsImage?: string;
  /**
   * The official image of the gateway: nginx 1.26 or newer on Debian.
   * Default: `nginx:1.28.3`. Allowed: an image.
   */
  readonly gatewayImage?: string;
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
