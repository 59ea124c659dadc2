/**
 * What a service is, whatever runs it: a target (infra/targets/) knows how to run any such description, and nothing here knows a
 * target.
 * @module
 */
import type { Input } from "@pulumi/pulumi";
import type { SecretName } from "./secrets.ts";

export type ServiceName =
  | "gateway"
  | "engine"
  | "auth-sidecar"
  | "sessions"
  | "database"
  | "migrate"
  | "apply-metadata"
  | "database-exporter"
  | "sessions-exporter"
  | "prometheus"
  | "alertmanager";
export type ImageName = "gateway" | "engine" | "auth-sidecar" | "sessions" | "database" | "database-tools" | "apply-metadata" | "monitoring";

/** What lies outside the stack and is called by a part of it. */
export type OutsideName = "directory" | "database" | "sessions";

/** Where a target mounts a service's files, read-only. */
export const filesDirectory = "/run/routeql";

/** Path, inside any service that is given it, of a secret. */
export const secretPath = (name: SecretName): string => `${filesDirectory}/secrets/${name}`;

/** A secret by name: the target looks the value up and hands it over as a file. */
export interface SecretReference {
  readonly secret: SecretName;
}

/** Ready when this answers: a GET that gives a status from 200 to 299, or a command in the image that exits with 0. */
export type HealthCheck =
  | { readonly kind: "http"; readonly port: number; readonly path: string }
  | { readonly kind: "command"; readonly command: readonly string[] };

export interface PublishedPort {
  /** Port inside. */
  readonly internal: number;
  /** Port outside. */
  readonly published: number;
  /** Published on 127.0.0.1 alone, whatever address the others have. */
  readonly loopback?: boolean;
}

/** A port on which those that call a service reach it. */
export interface ListeningPort {
  /** What is spoken there; a lower-case word. */
  readonly name: string;
  readonly port: number;
}

export interface Resources {
  /** Limit, in MiB; there is no swap. */
  readonly memoryMegabytes: number;
  /** Thousandths of a processor that it usually needs; a target that can promise them does. */
  readonly cpuMillicores: number;
  /** Processes and threads that one container may have at most. */
  readonly processes: number;
}

export interface ServiceDescription {
  /** Also its DNS name for those that call it. */
  readonly name: ServiceName;
  /** A service runs until it is stopped; a job runs once for its content, and must succeed. */
  readonly run: "service" | "job";
  readonly image: ImageName;
  /** Replaces the image's own entry point. */
  readonly entrypoint?: readonly string[];
  /** Replaces the image's own command. */
  readonly command?: readonly string[];
  /** User and group id, no other service has it. */
  readonly user: number;
  /** Nothing secret. */
  readonly environment: Readonly<Record<string, string>>;
  /** By the name of the environment variable that holds the path of the secret's file. */
  readonly secrets: Readonly<Record<string, SecretName>>;
  /** By path under `filesDirectory`. */
  readonly files: Readonly<Record<string, Input<string> | SecretReference>>;
  /** Directory whose content outlives the service; a service with data runs once, one without may run several times. */
  readonly data?: string;
  /**
   * Variable of the environment with the place of the data, for a service that asks to own it: where the directory belongs to
   * another, a target names a place below it.
   */
  readonly dataVariable?: string;
  /** Directories in memory, by path, with their size in MiB; everything else is read-only. */
  readonly temporary: Readonly<Record<string, number>>;
  readonly ports: readonly PublishedPort[];
  /** Where those that call it reach it; published ports are not listed again. */
  readonly listens: readonly ListeningPort[];
  /** Port of its metrics, in Prometheus' format, at /metrics. */
  readonly metricsPort?: number;
  /** Whether it is in the network in which metrics are read. Docker only: on Kubernetes the rule is `metricsNamespace`. */
  readonly joinsMetrics?: boolean;
  /** Services have one, jobs have none. */
  readonly health?: HealthCheck;
  /** Fails only when a restart would help, whatever the state of those it calls. Default: `health`. */
  readonly alive?: HealthCheck;
  readonly resources: Resources;
  /** Whom it calls: exactly these connections are possible. */
  readonly calls: readonly ServiceName[];
  /** What it calls outside the stack; without any it cannot reach the outside at all. */
  readonly callsOutside?: readonly OutsideName[];
  /** Starts when these are ready (services) or have succeeded (jobs). */
  readonly after: readonly ServiceName[];
  /**
   * Seconds in which it may still receive requests after the decision to stop it, because its callers learn about that late. A
   * target with several replicas keeps it serving for this time before it sends the stop signal.
   */
  readonly drainSeconds?: number;
  /** Seconds it has for stopping. */
  readonly graceSeconds: number;
}

/** Every call edge of some services, as [caller, callee], in the order of the descriptions. */
export function callEdges(services: readonly ServiceDescription[]): readonly (readonly [ServiceName, ServiceName])[] {
  return services.flatMap(({ name, calls }) => calls.map((callee) => [name, callee] as const));
}

/** Every edge that leads out of the stack, as [caller, what it calls]. */
export function outsideEdges(services: readonly ServiceDescription[]): readonly (readonly [ServiceName, OutsideName])[] {
  return services.flatMap(({ name, callsOutside = [] }) => callsOutside.map((outside) => [name, outside] as const));
}
