import type { Execute } from "@routeql/host/program-streams";
import { getInside } from "./health-detail.ts";

/** Answers of one service with status 503, for one reason, since the service's start. */
export interface UnavailableAnswers {
  /** docs/operate/troubleshoot.md explains each. */
  readonly reason: string;
  readonly count: number;
  /** RFC 3339: time of the last one. */
  readonly last: string;
}

const services: ReadonlySet<string> = new Set(["auth-sidecar", "engine", "front"]);
const metricsPort = 9090;

/** Of the services that answer clients, from their metrics; empty for others. @param execute runs a program in the container */
export async function unavailableAnswers(
  service: string,
  execute: Execute,
  signal: AbortSignal,
): Promise<readonly UnavailableAnswers[]> {
  if (!services.has(service)) return [];
  return readUnavailable(await getInside(metricsPort, "/metrics", execute, signal));
}

const sample = /^\w+_unavailable_(total|timestamp_seconds)\{reason="(\w+)"\} (\S+)$/gm;

/** @param metrics in Prometheus' text format */
export function readUnavailable(metrics: string): readonly UnavailableAnswers[] {
  const samples = [...metrics.matchAll(sample)].map(([, name, reason = "", value]) => ({
    name,
    reason,
    value: Number(value),
  }));
  const times = new Map(
    samples.filter(({ name }) => name === "timestamp_seconds").map(({ reason, value }) => [reason, value]),
  );
  return samples
    .filter(({ name, value }) => name === "total" && value > 0)
    .map(({ reason, value }) => ({
      reason,
      count: value,
      last: new Date((times.get(reason) ?? 0) * 1000).toISOString(),
    }));
}
