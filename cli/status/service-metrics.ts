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

/** Facts of one service. */
export interface MetricFacts {
  /** Its answers with status 503 since its start; absent without any. */
  readonly unavailable?: readonly UnavailableAnswers[] | undefined;
  /** Tables, views and functions of running live queries whose changes the engine does not notice, so that it polls; absent without any. */
  readonly unnoticed?: readonly string[] | undefined;
}

const services: ReadonlySet<string> = new Set(["auth-sidecar", "engine", "front"]);
const metricsPort = 9090;

/** Facts of a service that answers clients, from its metrics; empty for others. @param execute runs a program in the container */
export async function metricFacts(service: string, execute: Execute, signal: AbortSignal): Promise<MetricFacts> {
  if (!services.has(service)) return {};
  return readMetricFacts(await getInside(metricsPort, "/metrics", execute, signal));
}

/** @param metrics in Prometheus' text format */
export function readMetricFacts(metrics: string): MetricFacts {
  const unavailable = readUnavailable(metrics);
  const unnoticed = [...metrics.matchAll(unnoticedSample)].map(([, object = ""]) => unescaped(object));
  return { ...(unavailable.length > 0 && { unavailable }), ...(unnoticed.length > 0 && { unnoticed }) };
}

const sample = /^\w+_unavailable_(total|timestamp_seconds)\{reason="(\w+)"\} (\S+)$/gm;

function readUnavailable(metrics: string): readonly UnavailableAnswers[] {
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

const unnoticedSample = /^routeql_engine_live_query_unnoticed_object\{object="((?:[^"\\]|\\.)*)"\} 1$/gm;

/** The value of a label: Prometheus escapes backslashes, quotation marks and line feeds. */
const unescaped = (label: string): string =>
  label.replace(/\\(.)/g, (_, character: string) => (character === "n" ? "\n" : character));
