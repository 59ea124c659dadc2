/** Description of a service. A target (infra/targets/) can run any such description, and the descriptions know no target. */
import type { Input } from "@pulumi/pulumi";
import type { HostEntry } from "../settings/values/host-entries.ts";
import { type imageNames, serviceNames } from "../settings/values/service-names.ts";
import type { SecretName } from "./secrets.ts";

/**
 * User ids of this project's images, one for each service: the archive has that of the database, whose files it reads. No account of a host may
 * have one: `cli/docker/host-accounts.ts`.
 */
export const serviceUsers: readonly number[] = serviceNames
  .filter((name) => name !== "archive")
  .map((_name, index) => 10_101 + index);

/** User id of both official images with data. Postgres requires a user that has a name. */
export const officialUser = 999;

export type ServiceName = (typeof serviceNames)[number];
export type ImageName = (typeof imageNames)[number];

/** External services that services of the stack call. */
export type OutsideName =
  | "directory"
  | "database"
  | "sessions"
  | "collector"
  | "collectors"
  | "exabgp"
  | "validator"
  | "receiver"
  | "storage";

/** Where a target mounts a service's files, read-only. */
export const filesDirectory = "/run/routeql";

/** Where the database and the archive see the archive: the only path of a container that may be a directory of the host. */
export const archiveDirectory = "/var/lib/pgbackrest";

export const secretPath = (name: SecretName): string => `${filesDirectory}/secrets/${name}`;

/** A secret by name: the target looks up the value and delivers it as a file. */
export interface SecretReference {
  readonly secret: SecretName;
}

/** Ready when a GET returns a status from 200 to 299, or when a command in the image exits with 0. */
export type HealthCheck =
  | { readonly kind: "http"; readonly port: number; readonly path: string }
  | { readonly kind: "command"; readonly command: readonly string[] };

export interface PublishedPort {
  readonly internal: number;
  readonly published: Input<number>;
  /** Published on 127.0.0.1 only, independent of the address of other ports. */
  readonly loopback?: boolean;
  /** Address ranges that may connect, in CIDR form; without them all. Kubernetes only. */
  readonly clients?: readonly string[] | undefined;
}

export interface ListeningPort {
  /** Name of the protocol, in lower case. */
  readonly name: string;
  readonly port: number;
}

export interface Resources {
  /** Limit, in MiB; there is no swap. */
  readonly memoryMegabytes: Input<number>;
  /** Thousandths of a processor that it usually needs; Kubernetes reserves them. */
  readonly cpuMillicores: number;
  /** Maximum number of processes and threads in one container. */
  readonly processes: number;
}

export interface SharedDirectory {
  /** Absolute path on the host, or the name of a volume without the stack's prefix; it begins with the name of its owner. */
  readonly source: string;
  readonly readOnly?: boolean;
}

export interface ServiceDescription {
  /** Also its DNS name for callers. */
  readonly name: ServiceName;
  /** A service runs until it is stopped. A job runs once for its content and must succeed. */
  readonly run: "service" | "job";
  readonly image: ImageName;
  /** Replaces the image's entry point. */
  readonly entrypoint?: readonly string[];
  /** Replaces the image's command. */
  readonly command?: readonly Input<string>[];
  /** User and group id, different for each service. */
  readonly user: number;
  /** Without secrets. */
  readonly environment: Readonly<Record<string, Input<string>>>;
  /** Secrets by the environment variable that holds the path of the secret's file. */
  readonly secrets: Readonly<Record<string, SecretName>>;
  /** Files by path under `filesDirectory`. */
  readonly files: Readonly<Record<string, Input<string> | SecretReference>>;
  /** Files that the service loads while it runs, listed in `files.sha256`; a change of others restarts it. Unhealthy until they are loaded. */
  readonly liveFiles?: readonly string[];
  /** Whether Kubernetes too changes the live files below its running pods, which then need no `files.sha256`; otherwise other pods replace them. */
  readonly followsFiles?: true;
  /** Program that fails for files which the service would reject. Docker runs it on a copy, before live files change. */
  readonly filesCheck?: readonly string[];
  /** Directory that outlives the service. A service with data has one replica; one without may have several. */
  readonly data?: string;
  /** Variable with the path of the data, for a service that must own the directory: another user's directory gets a path below it. */
  readonly dataVariable?: string;
  /** Shared directories by path. Docker only. */
  readonly shared?: Readonly<Record<string, SharedDirectory>>;
  /** Directories in memory with their size in MiB, by path; everything else is read-only. */
  readonly temporary: Readonly<Record<string, number>>;
  readonly ports: readonly PublishedPort[];
  /** Ports for callers inside the stack; published ports are not repeated. */
  readonly listens: readonly ListeningPort[];
  /** Port of its metrics in Prometheus' format, at /metrics. */
  readonly metricsPort?: number;
  /** Whether it joins the network for metrics. Docker only: Kubernetes uses `metricsNamespace`. */
  readonly joinsMetrics?: boolean;
  /** Services have a health check, jobs have none. */
  readonly health?: HealthCheck;
  /** Fails only when a restart helps, independent of the services that it calls. Default: `health`. */
  readonly alive?: HealthCheck;
  readonly resources: Resources;
  /** The services that it calls: no other connection is possible. */
  readonly calls: readonly ServiceName[];
  /** External services that it calls; without any it cannot connect to external addresses. */
  readonly callsOutside?: readonly OutsideName[];
  /** Addresses of host names that no name server knows. */
  readonly hosts?: Input<readonly HostEntry[]>;
  /** It starts after these services are ready and these jobs have succeeded, and after the services that it calls. */
  readonly after: readonly ServiceName[];
  /** Seconds in which it may still receive requests after the decision to stop it, because callers learn about it late. */
  readonly drainSeconds?: number;
  /** A file that exists in the container from then on, so that the service asks its clients for new connections. */
  readonly drainFile?: string;
  /** Seconds between the stop signal and the kill. */
  readonly graceSeconds: number;
}

/** Every call edge of some services, as [caller, callee], in the order of the descriptions. */
export function callEdges(services: readonly ServiceDescription[]): readonly (readonly [ServiceName, ServiceName])[] {
  return services.flatMap(({ name, calls }) => calls.map((callee) => [name, callee] as const));
}

/** Every external call edge, as [caller, external service]. */
export function outsideEdges(
  services: readonly ServiceDescription[],
): readonly (readonly [ServiceName, OutsideName])[] {
  return services.flatMap(({ name, callsOutside = [] }) => callsOutside.map((outside) => [name, outside] as const));
}

/** The services and jobs that one waits for. */
export const earlierThan = ({ calls, after }: Pick<ServiceDescription, "calls" | "after">): readonly ServiceName[] => [
  ...new Set([...calls, ...after]),
];

/** Services in start order, each after those that it waits for; otherwise in the given order. @throws Error for a circle */
export function inStartOrder(services: readonly ServiceDescription[]): readonly ServiceDescription[] {
  const byName = new Map(services.map((service) => [service.name, service]));
  const ordered = new Set<ServiceDescription>();
  const visit = (service: ServiceDescription, waiting: readonly ServiceName[]): void => {
    if (ordered.has(service)) return;
    if (waiting.includes(service.name))
      throw new Error(`Services wait for each other: ${[...waiting, service.name].join(" waits for ")}.`);
    // A service that another program runs, as a database cluster, has no description.
    for (const name of earlierThan(service)) {
      const earlier = byName.get(name);
      if (earlier !== undefined) visit(earlier, [...waiting, service.name]);
    }
    ordered.add(service);
  };
  for (const service of services) visit(service, []);
  return [...ordered];
}
