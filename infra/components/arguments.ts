// Generated from infra/settings/list.ts by `npm run documents`; do not edit.
import type { Input } from "@pulumi/pulumi";

/** Arguments of the component; each may be left out. */
export interface RouteQLArgs {
  /**
   * Master key: a client that sends it in `X-Engine-Access-Key` has full access to the engine.
   * Default: generated. Allowed: at least 32 random characters.
   */
  readonly engineAccessKey?: Input<string>;
  /**
   * Service key that clients of the session endpoints send in `x-service-api-key`.
   * Default: generated. Allowed: at least 32 random characters.
   */
  readonly serviceApiKey?: Input<string>;
  /**
   * GraphQL engine: the embedded one, or Hasura v2.
   * Default: `embedded`; `hasura` in the stack `dev`; `hasura` in the stack `prod`. Allowed: embedded, hasura.
   */
  readonly engine?: string;
  /**
   * Image of Hasura v2, for the engine `hasura`. `routeql/engine` is the embedded engine in Hasura's place.
   * Default: `hasura/graphql-engine:v2.50.10`. Allowed: an image.
   */
  readonly hasuraImage?: string;
  /**
   * Serve the console at `/` of the console port.
   * Default: `false`; `true` in the stack `local`.
   */
  readonly engineConsole?: boolean;
  /**
   * E-mail address of the first administrator (role `operator`), created if there is no user.
   * Default: `admin@example.net`. Allowed: an e-mail address.
   */
  readonly adminEmail?: string;
  /**
   * First password of that administrator, used once. To change it later: `npm run users -- password`.
   * Default: generated. Allowed: at least 12 random characters.
   */
  readonly adminPassword?: Input<string>;
  /**
   * Host name that clients use, in URLs and in the generated certificate.
   * Default: `localhost`. Allowed: a host name or an IP address.
   */
  readonly publicHost?: string;
  /**
   * Address of the Docker host on which the three ports are published; `0.0.0.0` publishes them on all addresses.
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
   * Published port of the API and, if enabled, of the console.
   * Default: `32000`. Allowed: 1 to 65535.
   */
  readonly consolePort?: number;
  /**
   * Origins of web applications that may call the API from a browser, over HTTP and WebSocket, separated by commas; `*` allows all. Default: the service's own pages.
   * Default: none. Allowed: origins separated by commas, or *.
   */
  readonly corsOrigins?: string;
  /**
   * Docker: the range of this stack's networks, which take a sixteenth each. No other network of the host may overlap it. Without it `npm run up` reserves a free /24 of NETWORK_POOL, and plain `pulumi up` leaves the choice to the Docker engine.
   * Default: none. Allowed: an IPv4 range in CIDR form from /8 to /25.
   */
  readonly networkRange?: string;
  /**
   * Docker: the range in which `npm run up` looks for a free /24 for a new stack.
   * Default: `192.168.192.0/18`. Allowed: an IPv4 range in CIDR form from /8 to /24.
   */
  readonly networkPool?: string;
  /**
   * Your certificate (PEM, with its chain). Without it the stack's own authority signs one.
   * Default: none.
   */
  readonly tlsCertificateFile?: string;
  /**
   * Private key (PEM) of your certificate.
   * Default: none.
   */
  readonly tlsPrivateKeyFile?: string;
  /**
   * Seconds until an access token expires.
   * Default: `900`. Allowed: 60 to 3600.
   */
  readonly tokenLifeSeconds?: number;
  /**
   * Idle limit of a session, in seconds.
   * Default: `900`. Allowed: 1 to 86400.
   */
  readonly sessionIdleSeconds?: number;
  /**
   * Absolute limit of a session after its login, in seconds.
   * Default: `28800`. Allowed: 1 to 2592000.
   */
  readonly sessionAbsoluteSeconds?: number;
  /**
   * Failed logins of one account from one address in a window; ten times as many from all addresses.
   * Default: `10`. Allowed: 1 to 1000.
   */
  readonly loginAttemptsPerAccount?: number;
  /**
   * Failed logins from one address to all accounts in a window.
   * Default: `50`. Allowed: 1 to 100000.
   */
  readonly loginAttemptsPerAddress?: number;
  /**
   * Signature algorithm of access tokens. A change rotates the signing key without rejected tokens.
   * Default: `ES256`. Allowed: ES256, EdDSA, RS256.
   */
  readonly tokenAlgorithm?: string;
  /**
   * Age at which the signing key is rotated, in hours; 0 never rotates.
   * Default: `720`. Allowed: 0 to 8784.
   */
  readonly keyRotationHours?: number;
  /**
   * Generation of the key that encrypts signing keys in the database. Raise it by one to rotate that key; never lower it.
   * Default: `1`. Allowed: 1 to 1000.
   */
  readonly keyEncryptionKeyGeneration?: number;
  /**
   * Window in which failed logins count, and maximum duration of a rejection, in seconds.
   * Default: `900`. Allowed: 1 to 86400.
   */
  readonly loginWindowSeconds?: number;
  /**
   * Concurrent password hashes of the auth sidecar; each uses a core and 19 MiB.
   * Default: `2`. Allowed: 1 to 64.
   */
  readonly passwordHashConcurrency?: number;
  /**
   * Logins that may wait for a password hash; further ones get 429.
   * Default: `64`. Allowed: 0 to 10000.
   */
  readonly passwordHashQueue?: number;
  /**
   * LDAP servers, tried in order, separated by spaces or commas. Without it there is no LDAP login.
   * Default: none. Allowed: addresses that start with ldap:// or ldaps://.
   */
  readonly ldapUrl?: string;
  /**
   * Start TLS on ldap:// connections.
   * Default: `false`.
   */
  readonly ldapStarttls?: boolean;
  /**
   * Allow ldap:// without StartTLS, which sends passwords in clear text.
   * Default: `false`.
   */
  readonly ldapPlaintext?: boolean;
  /**
   * Certificate authority (PEM) of the LDAP servers. Without it the public authorities are trusted.
   * Default: none.
   */
  readonly ldapCaFile?: string;
  /**
   * DN of the account that searches the directory. Without it the search is anonymous.
   * Default: none.
   */
  readonly ldapBindDn?: string;
  /**
   * Password of the search account.
   * Default: none.
   */
  readonly ldapBindPassword?: Input<string>;
  /**
   * Base DN of accounts; the whole subtree is searched. Required for the LDAP login.
   * Default: none.
   */
  readonly ldapUserBase?: string;
  /**
   * Filter that finds an account by the name that the user enters.
   * Default: `(mail={{username}})`. Allowed: a filter with {{username}}.
   */
  readonly ldapUserFilter?: string;
  /**
   * Additional filter for active accounts, checked at login and at each use of a session.
   * Default: none. Allowed: a filter.
   */
  readonly ldapActiveFilter?: string;
  /**
   * Attribute with the permanent id of an account; objectGUID for Active Directory, ipaUniqueID for FreeIPA.
   * Default: `entryUUID`. Allowed: the name of an attribute.
   */
  readonly ldapIdAttribute?: string;
  /**
   * Attribute with an account's e-mail address.
   * Default: `mail`. Allowed: the name of an attribute.
   */
  readonly ldapEmailAttribute?: string;
  /**
   * Attribute with an account's name.
   * Default: `cn`. Allowed: the name of an attribute.
   */
  readonly ldapNameAttribute?: string;
  /**
   * Attribute with an account's organisation, for the role `tenant`.
   * Default: `o`. Allowed: the name of an attribute.
   */
  readonly ldapOrganisationAttribute?: string;
  /**
   * Base DN of groups. Without it the account's memberOf is used.
   * Default: none.
   */
  readonly ldapGroupBase?: string;
  /**
   * Filter that finds the groups of an account.
   * Default: `(member={{dn}})`. Allowed: a filter with {{dn}}.
   */
  readonly ldapGroupFilter?: string;
  /**
   * Roles by group: the first matching entry applies. An account without a match is `pending` and gets no token.
   * Default: none. Allowed: an ordered list `role: group; …`, a group by its DN or cn, * for all.
   */
  readonly ldapRoles?: string;
  /**
   * Maximum wait for one answer of an LDAP server, in milliseconds.
   * Default: `3000`. Allowed: 100 to 30000.
   */
  readonly ldapTimeoutMilliseconds?: number;
  /**
   * Maximum size of a request body, in KiB.
   * Default: `256`. Allowed: 1 to 10240.
   */
  readonly bodyLimitKilobytes?: number;
  /**
   * Maximum depth of a GraphQL operation.
   * Default: `10`. Allowed: 1 to 100.
   */
  readonly queryDepth?: number;
  /**
   * Maximum number of fields of a GraphQL operation, on all levels together.
   * Default: `500`. Allowed: 1 to 10000.
   */
  readonly queryBreadth?: number;
  /**
   * Time limit of an engine statement in Postgres, in seconds.
   * Default: `30`. Allowed: 1 to 3600.
   */
  readonly statementTimeoutSeconds?: number;
  /**
   * Shorter statement limits for some roles, in seconds. Embedded engine only.
   * Default: `viewer=10`. Allowed: role=number, separated by commas, 1 to 3600.
   */
  readonly statementTimeoutSecondsByRole?: string;
  /**
   * Maximum connections of one engine to Postgres.
   * Default: `10`. Allowed: 1 to 60.
   */
  readonly enginePoolSize?: number;
  /**
   * Requests per second from one address that the gateway accepts.
   * Default: `50`. Allowed: 1 to 100000.
   */
  readonly requestsPerSecondPerAddress?: number;
  /**
   * Requests from one address above that rate that are still accepted; further ones get 429.
   * Default: `100`. Allowed: 1 to 100000.
   */
  readonly requestBurst?: number;
  /**
   * Login requests per minute from one address.
   * Default: `30`. Allowed: 1 to 100000.
   */
  readonly loginRequestsPerMinutePerAddress?: number;
  /**
   * Concurrent connections from one address, including WebSockets.
   * Default: `100`. Allowed: 1 to 65535.
   */
  readonly connectionsPerAddress?: number;
  /**
   * Seconds after which the gateway closes a WebSocket without traffic, including keep-alives.
   * Default: `120`. Allowed: 10 to 86400.
   */
  readonly idleWebSocketSeconds?: number;
  /**
   * Minimum log level of the engine and the auth sidecar.
   * Default: `info`. Allowed: debug, info, warn, error.
   */
  readonly logLevel?: string;
  /**
   * Database: the stack's own (`single`), an external one (`external`) or, on Kubernetes, a cluster of the operator CloudNativePG (`cloudnative-pg`). A change does not move the data.
   * Default: `single`. Allowed: single, external, cloudnative-pg.
   */
  readonly database?: string;
  /**
   * URL of the external database, with an administrator who may create roles and databases. Only the migrate job uses it, to create the services' roles and the database.
   * Default: none. Allowed: postgres://<administrator>:<password>@<host>[:<port>]/<database>.
   */
  readonly databaseUrl?: Input<string>;
  /**
   * Certificate authority (PEM) of the external database. With it every connection is encrypted and verifies the server's name.
   * Default: none.
   */
  readonly databaseCaFile?: string;
  /**
   * Session store: the stack's own (`single`) or an external one (`external`).
   * Default: `single`. Allowed: single, external.
   */
  readonly sessions?: string;
  /**
   * URL of the external session store, Redis or Valkey; rediss:// encrypts and verifies the server's name.
   * Default: none. Allowed: redis[s]://[<user>]:<password>@<host>[:<port>][/<number>].
   */
  readonly sessionsUrl?: Input<string>;
  /**
   * Certificate authority (PEM) of the external session store, if it is not public; with it every connection is encrypted.
   * Default: none.
   */
  readonly sessionsCaFile?: string;
  /**
   * Target of the stack: one Docker host, or a Kubernetes cluster (1.29 or newer).
   * Default: `docker`; `kubernetes` in the stack `prod`. Allowed: docker, kubernetes.
   */
  readonly target?: string;
  /**
   * Kubernetes: namespace of the stack. By default `routeql-` and the stack's name.
   * Default: none. Allowed: a name of small letters, digits and hyphens.
   */
  readonly namespace?: string;
  /**
   * Kubernetes: create (and delete) the namespace with the stack. If false, it must exist.
   * Default: `true`.
   */
  readonly createNamespace?: boolean;
  /**
   * Kubernetes: DNS domain of the cluster.
   * Default: `cluster.local`. Allowed: a name of small letters, digits, hyphens and dots.
   */
  readonly clusterDomain?: string;
  /**
   * Kubernetes: registry of this project's images, `<registry>/routeql/<image>:<hash>`. Without it the images must be on the nodes.
   * Default: none. Allowed: the address of a registry, without https:// and without a slash at its end.
   */
  readonly imageRegistry?: string;
  /**
   * Kubernetes: build the images with Docker and push them to the registry. If false, they must exist there.
   * Default: `false`.
   */
  readonly pushImages?: boolean;
  /**
   * Kubernetes: Secret with which the nodes log in to the registry.
   * Default: none. Allowed: a name of small letters, digits, hyphens and dots.
   */
  readonly imagePullSecret?: string;
  /**
   * Kubernetes: type of the gateway's Service. With NodePort the three ports must be in the cluster's node port range.
   * Default: `LoadBalancer`. Allowed: LoadBalancer, NodePort, ClusterIP.
   */
  readonly gatewayService?: string;
  /**
   * Kubernetes: annotations of the gateway's Service, for example to select a cloud's load balancer.
   * Default: none. Allowed: a list name=value,name=value.
   */
  readonly gatewayAnnotations?: string;
  /**
   * Kubernetes: minimum number of gateway pods.
   * Default: `2`. Allowed: 1 to 100.
   */
  readonly gatewayReplicas?: number;
  /**
   * Kubernetes: maximum number of gateway pods. If it exceeds the minimum, the number follows the load.
   * Default: `6`. Allowed: 1 to 100.
   */
  readonly gatewayReplicasMost?: number;
  /**
   * Kubernetes: minimum number of engine pods.
   * Default: `2`. Allowed: 1 to 100.
   */
  readonly engineReplicas?: number;
  /**
   * Kubernetes: maximum number of engine pods; each has `enginePoolSize` connections to the database.
   * Default: `4`. Allowed: 1 to 100.
   */
  readonly engineReplicasMost?: number;
  /**
   * Kubernetes: minimum number of auth sidecar pods.
   * Default: `2`. Allowed: 1 to 100.
   */
  readonly sidecarReplicas?: number;
  /**
   * Kubernetes: maximum number of auth sidecar pods; each has 10 connections to the database.
   * Default: `3`. Allowed: 1 to 100.
   */
  readonly sidecarReplicasMost?: number;
  /**
   * Kubernetes: cert-manager issuer of the gateway's certificate.
   * Default: none. Allowed: a name of small letters, digits, hyphens and dots.
   */
  readonly certificateIssuer?: string;
  /**
   * Kubernetes: kind of that issuer: cluster-wide, or in the namespace.
   * Default: `ClusterIssuer`. Allowed: ClusterIssuer, Issuer.
   */
  readonly certificateIssuerKind?: string;
  /**
   * Kubernetes: existing Secret with the gateway's certificate and key (`tls.crt`, `tls.key`).
   * Default: none. Allowed: a name of small letters, digits, hyphens and dots.
   */
  readonly certificateSecret?: string;
  /**
   * Kubernetes: storage class of the volumes. By default the cluster's default class.
   * Default: none. Allowed: a name of small letters, digits, hyphens and dots.
   */
  readonly storageClass?: string;
  /**
   * Kubernetes: size of each database volume.
   * Default: `20Gi`. Allowed: a size such as 20Gi.
   */
  readonly databaseStorage?: string;
  /**
   * Kubernetes: size of the session store's volume.
   * Default: `1Gi`. Allowed: a size such as 20Gi.
   */
  readonly sessionsStorage?: string;
  /**
   * Kubernetes: namespace whose pods may read the metrics of every service. Without it none may.
   * Default: none. Allowed: a name of small letters, digits and hyphens.
   */
  readonly metricsNamespace?: string;
  /**
   * CloudNativePG: instances of the database: one primary, the others replicas.
   * Default: `3`. Allowed: 1 to 9.
   */
  readonly databaseInstances?: number;
  /**
   * CloudNativePG: let the engine read from replicas. If false, it reads from the primary, as some Hasura versions require.
   * Default: `true`.
   */
  readonly databaseReadFromCopies?: boolean;
  /**
   * CloudNativePG: the image of Postgres 17.
   * Default: `ghcr.io/cloudnative-pg/postgresql:17.12-standard-trixie`. Allowed: an image.
   */
  readonly databaseClusterImage?: string;
  /**
   * CloudNativePG: the operator's namespace, from which it reaches the database.
   * Default: `cnpg-system`. Allowed: a name of small letters, digits and hyphens.
   */
  readonly databaseOperatorNamespace?: string;
  /**
   * CloudNativePG: object storage folder for backups and archived changes. Without it there are no backups.
   * Default: none. Allowed: an address such as s3://bucket/folder.
   */
  readonly backupDestination?: string;
  /**
   * CloudNativePG: endpoint of an object storage other than Amazon's.
   * Default: none. Allowed: an address such as https://storage.example.net.
   */
  readonly backupEndpoint?: string;
  /**
   * CloudNativePG: access key id for the object storage. Without it the nodes' role authenticates.
   * Default: none.
   */
  readonly backupAccessKeyId?: Input<string>;
  /**
   * CloudNativePG: secret access key for the object storage.
   * Default: none.
   */
  readonly backupSecretAccessKey?: Input<string>;
  /**
   * CloudNativePG: schedule of full backups in UTC: second, minute, hour, day, month, day of the week.
   * Default: `0 0 2 * * *`. Allowed: six fields such as 0 0 2 * * *.
   */
  readonly backupSchedule?: string;
  /**
   * CloudNativePG: days for which backups are kept, so that any moment in them can be restored.
   * Default: `30`. Allowed: 1 to 3650.
   */
  readonly backupRetentionDays?: number;
  /**
   * Metrics of every service: none (`off`), endpoints for your own Prometheus (`scrape`), on Docker also a Prometheus and an Alertmanager of the stack (`stack`), or on Kubernetes objects of the Prometheus operator (`operator`).
   * Default: `off`. Allowed: off, scrape, stack, operator.
   */
  readonly monitoring?: string;
  /**
   * Docker with `stack`: port of Prometheus on 127.0.0.1. It has no login.
   * Default: `9090`. Allowed: 1 to 65535.
   */
  readonly prometheusPort?: number;
  /**
   * Docker with `stack`: image of a Grafana that shows the stack's dashboard, such as `grafana/grafana:13.3.0`. Without it there is no Grafana.
   * Default: none. Allowed: an image.
   */
  readonly grafanaImage?: string;
  /**
   * Docker with `stack`: port of Grafana on 127.0.0.1. It shows its dashboards without a login.
   * Default: `3000`. Allowed: 1 to 65535.
   */
  readonly grafanaPort?: number;
  /**
   * Docker with `stack`: address to which Alertmanager posts alerts as JSON. Without it alerts are only shown.
   * Default: none. Allowed: https://<host>/<path>.
   */
  readonly alertWebhookUrl?: Input<string>;
  /**
   * Docker with `stack`: days for which Prometheus keeps metrics.
   * Default: `15`. Allowed: 1 to 3650.
   */
  readonly metricsDays?: number;
  /**
   * OTLP/HTTP address of the collector that receives traces. Without a path, `/v1/traces` is added. Without an address no request is traced.
   * Default: none. Allowed: http[s]://<host>[:<port>][/<path>].
   */
  readonly traceEndpoint?: string;
  /**
   * Percentage of requests that are traced. A request with a `traceparent` header follows the header's sampled flag instead.
   * Default: `1`. Allowed: 0 to 100.
   */
  readonly tracePercent?: number;
  /**
   * Images of the database, the session store and the gateway: built here from Debian's packages, or the official ones of the next three settings. Do not change it once there is data: the files belong to another user.
   * Default: `built`; `official` in the stack `dev`. Allowed: built, official.
   */
  readonly images?: string;
  /**
   * The official image of the database: Postgres 17 on Debian.
   * Default: `postgres:17.12`. Allowed: an image.
   */
  readonly databaseImage?: string;
  /**
   * The official image of the session store: Valkey 8 on Debian.
   * Default: `valkey/valkey:8.1.11`. Allowed: an image.
   */
  readonly sessionsImage?: string;
  /**
   * The official image of the gateway: nginx 1.28 or newer on Debian trixie, with OpenSSL 3.5 or newer.
   * Default: `nginx:1.30.7`. Allowed: an image.
   */
  readonly gatewayImage?: string;
  /**
   * Registry (and path) that replaces Docker Hub in the names of all images, such as `registry.example.net/hub`. Images that name a registry keep it.
   * Default: none. Allowed: an image.
   */
  readonly imageMirror?: string;
  /**
   * Reaction to an image version with a published advisory: `warn` names the advisory, `refuse` stops the deployment, `ignore` does nothing.
   * Default: `warn`. Allowed: warn, refuse, ignore.
   */
  readonly vulnerableImages?: string;
  /**
   * Docker: processors that one container may use at most. Hasura sizes its runtime by them; on a smaller host the host is the limit.
   * Default: `4`. Allowed: 1 to 256.
   */
  readonly processorLimit?: number;
  /**
   * Base image of the built images.
   * Default: `debian:trixie-slim`. Allowed: an image.
   */
  readonly debianBase?: string;
  /**
   * Image with Node 24 and npm that installs the packages during a build.
   * Default: `node:24.22.1-trixie-slim`. Allowed: an image.
   */
  readonly nodeBase?: string;
}
