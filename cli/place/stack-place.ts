import type { Execute } from "@routeql/host/program-streams";
import type { Archive } from "./archive.ts";
import type { ClientPrograms } from "./programs.ts";
import type { LogOptions, LogReader } from "../logs/logs.ts";
import type { ArchiveFacts, Deliveries, FiringAlert, Problem, ServiceState } from "../status/report.ts";

/** Where a stack runs. Commands know only this; docker/stack-place.ts and kubernetes/stack-place.ts implement it, open-place.ts chooses. */
export interface StackPlace {
  readonly target: "docker" | "kubernetes";
  /** @throws Failure when another state owns the stack there */
  requireOwn(): Promise<void>;
  /** States of the stack's containers or pods. */
  services(signal: AbortSignal): Promise<readonly ServiceState[]>;
  /** One reader for each container or pod. @throws Failure when there are none */
  logs(options: LogOptions, signal: AbortSignal): Promise<readonly LogReader[]>;
  /** Finds a running container or pod of a service; the result runs programs in it. @throws Failure when none runs */
  enter(service: string): Promise<Execute>;
  /** Postgres' client programs with a route to the database. @throws Failure without a running stack */
  openPrograms(signal?: AbortSignal): Promise<ClientPrograms>;
  /** Runs a job of the stack again. @returns undefined if it succeeds or the stack has none; else its failure */
  runJob(job: Job, signal: AbortSignal): Promise<JobFailure | undefined>;
  /** @throws Failure when the stack has none */
  archive(): Promise<Archive>;
  /** The stack's own Prometheus and Alertmanager. @throws Failure when the stack has none */
  alerting(): Promise<Alerting>;
  /** Whether the service stays stopped: on a cluster, which starts pods again, only while it wants none, as after `npm run down`. */
  isStopped(service: string): Promise<boolean>;
  /** Address at which this machine reaches the gateway beside its public name. */
  publishedAddress(): Promise<string | undefined>;
  /** Whether the gateway must answer this machine. */
  readonly mustAnswer: boolean;
  /** Facts for the status that this place knows itself. @param services what {@link services} found */
  facts(services: readonly ServiceState[], signal: AbortSignal): Promise<PlaceFacts>;
  /** Version of Docker or Kubernetes, for the support bundle. */
  version(signal: AbortSignal): Promise<object>;
  /** Files for the support bundle that only this place has. What cannot be read is left out, with the reason in its file. */
  evidence(signal: AbortSignal): Promise<readonly Evidence[]>;
  /** Use of processor and memory, for the support bundle. */
  resources(signal: AbortSignal): Promise<object>;
}

export interface Alerting {
  /** Undefined while Prometheus does not answer. */
  firing(signal: AbortSignal): Promise<readonly FiringAlert[] | undefined>;
  /** Runs a program beside the Alertmanager. */
  readonly inAlertmanager: Execute;
  /** Of the Alertmanager's log. */
  lastLines(count: number): Promise<readonly string[]>;
}

export interface Evidence {
  /** Path in the bundle. */
  readonly name: string;
  readonly text: string;
}

export type Job = "migrate" | "apply-metadata";

export interface JobFailure {
  /** Continues a sentence that begins with the name of the job. */
  readonly what: string;
  readonly lastLines: readonly string[];
  readonly cause?: unknown;
}

/** Undefined facts do not exist there. */
export interface PlaceFacts {
  readonly archive?: ArchiveFacts | undefined;
  readonly alerts?: readonly FiringAlert[] | undefined;
  readonly deliveries?: Deliveries | undefined;
  /** Active firewalls of this host that the published ports pass. */
  readonly passedFirewalls?: readonly string[] | undefined;
  readonly problems: readonly Problem[];
}
