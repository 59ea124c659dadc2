import type { MetricFacts } from "./service-metrics.ts";

export interface ServiceState extends MetricFacts {
  readonly service: string;
  /** Name of the container or pod. */
  readonly container: string;
  readonly kind: "service" | "job";
  /** `running`, `exited`, `paused`, `restarting`, `missing`; on Kubernetes a phase such as `pending`. */
  readonly state: string;
  readonly health?: "healthy" | "unhealthy" | "starting" | undefined;
  readonly exitCode?: number | undefined;
  readonly image: string;
  /** User of its programs, such as `10103:10103`; only on Docker. */
  readonly user?: string;
  readonly restarts: number;
  /** RFC 3339: when the state began. */
  readonly since?: string | undefined;
  /** A running container on Docker without a limit of processes, although the engine can set one. */
  readonly unlimitedProcesses?: boolean;
  /** Cause of a bad state, as the Docker daemon, Kubernetes or the service itself reports it. */
  readonly detail?: string | undefined;
}

export interface Problem {
  /** A service, or `certificate`, `migrations`, `data`, … */
  readonly subject: string;
  readonly reason: string;
  /** A command, or the page to read. */
  readonly next: string;
}

export interface EndpointState {
  readonly url: string;
  /** Status of `/healthz`; undefined when nothing answers. */
  readonly status?: number | undefined;
  readonly error?: string | undefined;
  /** Whether the error is that clients do not accept the certificate. */
  readonly refusedCertificate?: boolean;
  /** Why the public name does not lead to the published address, which answers. */
  readonly nameProblem?: string | undefined;
  /** RFC 3339. */
  readonly certificateExpires?: string | undefined;
}

/** Facts from the database. Times are in RFC 3339 format. */
export interface DatabaseFacts {
  readonly version: string;
  readonly migrations: readonly string[];
  /** Number of the operator's migrations. */
  readonly ownMigrations?: number;
  readonly keys: readonly {
    readonly state: "next" | "signing" | "verifying";
    readonly since: string;
    readonly retiresAt: string | null;
  }[];
  readonly newestUpdate: string | null;
  readonly newestHijack: string | null;
  readonly bytes: number;
  /** Whether new sessions cannot write because of a setting. */
  readonly readOnly?: boolean | undefined;
  /** Whether the server is in recovery, so no session can write. */
  readonly standby?: boolean | undefined;
  /** Milliseconds by which the database's clock is ahead of this machine's. */
  readonly clockDistance?: number | undefined;
  /** RFC 3339: the newest audit event or signing key. */
  readonly newestRecord?: string | undefined;
  /** Connections of clients, and how many there may be without those that are reserved. */
  readonly connections?: { readonly used: number; readonly most: number } | undefined;
  /** Postgres' own count of changes that its archive refused; `failsSince` is null while the newest one was accepted. */
  readonly archiver: { readonly failed: number; readonly failsSince: string | null };
  /** The last successful backup and restore, from any machine. */
  readonly lastBackup?: LastRun | undefined;
  readonly lastRestore?: LastRun | undefined;
  readonly lastDrill?: LastRun | undefined;
  /** RFC 3339: when the RPKI validator made the stored list. */
  readonly vrpsBuilt?: string | undefined;
  /** Live sources that had a feed. */
  readonly feeds?: readonly FeedFacts[] | undefined;
  /** Whether updates of before an upgrade lack positions. */
  readonly unfilled?: boolean | undefined;
}

export interface FeedFacts {
  /** Its name in the database, such as ris-live. */
  readonly source: string;
  /** RFC 3339: all updates until then are stored or lie in a gap. */
  readonly coveredUntil: string;
  /** Newest first, without those that files have filled. */
  readonly gaps: readonly FeedGap[];
}

/** An interval in which updates are missing. Times are in RFC 3339 format. */
export interface FeedGap {
  /** Null while no feed of the source runs. */
  readonly gap: number | null;
  readonly since: string;
  /** Null while it lasts. */
  readonly until: string | null;
  readonly reason: string;
}

/** Facts of the archive on Docker itself; a compromised database cannot change it. */
export interface ArchiveFacts {
  /** RFC 3339; null without a backup. */
  readonly newestBackup: string | null;
  /** Why changes or backups do not reach it. */
  readonly problem?: string | undefined;
}

export interface LastRun {
  readonly at: string;
  readonly bytes?: number | undefined;
}

/** Notifications of the Alertmanager since its start. */
export interface Deliveries {
  /** Notifications for which an attempt began, also those that no receiver accepted. */
  readonly sent: number;
  /** Requests to receivers that have ended, also those that failed. */
  readonly answered: number;
  readonly failed: number;
  /** Silences in force: the alerts that they match are not sent. */
  readonly silences: number;
}

export interface FiringAlert {
  readonly name: string;
  /** Empty for an alert without this label. */
  readonly service: string;
}

export interface StatusReport {
  readonly stack: string;
  readonly target: "docker" | "kubernetes";
  readonly time: string;
  readonly version: string;
  readonly fine: boolean;
  readonly problems: readonly Problem[];
  readonly services: readonly ServiceState[];
  readonly endpoint?: EndpointState | undefined;
  readonly database?: DatabaseFacts | undefined;
  /** Undefined without an archive on Docker, or while its service does not run. */
  readonly archive?: ArchiveFacts | undefined;
  readonly expectedMigrations: readonly string[];
  /** Whether the engine serves all of the metadata; undefined when the engine does not answer. */
  readonly metadataConsistent?: boolean | undefined;
  /** Undefined without a Prometheus of the stack, or while it does not answer. */
  readonly alerts?: readonly FiringAlert[] | undefined;
  /** Undefined without an Alertmanager of the stack, or while it does not answer. */
  readonly deliveries?: Deliveries | undefined;
  /** Whether the LDAP directory is configured and can be used; undefined while the auth sidecar does not run. */
  readonly directory?: { readonly text: string; readonly fails: boolean } | undefined;
  /** Active firewalls of this host that the published ports pass. */
  readonly passedFirewalls?: readonly string[] | undefined;
  /** Services of which processes were killed at the memory limit since the start of their container. */
  readonly memoryKills?: readonly { readonly service: string; readonly count: number }[] | undefined;
  /** Changes that an update would make; undefined when not requested. */
  readonly drift?: readonly string[] | undefined;
}
