import { OtlpReceiver } from "@routeql/tracing/testing/otlp-receiver";
import { type Figure, figure } from "../measure/statistics.ts";
import { addedPercent, comparePairs, type PairsOptions } from "./pairs.ts";

export interface TraceFigures {
  /** Pairs of processes. */
  readonly pairs: number;
  /** Additional processor time for one request with 1 % of the requests traced; one value for each pair. */
  readonly addedPercent: Figure;
  /** Processor time of an engine without traces for one request. */
  readonly cpuMicroseconds: Figure;
  readonly requestsOfPair: Figure;
}

export interface TraceCostOptions extends Omit<PairsOptions, "first" | "second"> {
  readonly databaseUrl: string;
}

/** Compares an engine that traces 1 % of its requests with one that traces none. */
export async function measureTraceCost({ databaseUrl, ...options }: TraceCostOptions): Promise<TraceFigures> {
  await using collector = await OtlpReceiver.start();
  const first = { databaseUrl };
  const measured = await comparePairs({ ...options, first, second: { databaseUrl, collector: collector.url } });
  if (collector.spans.length === 0) throw new Error("the collector received no span");
  return {
    pairs: measured.length,
    addedPercent: figure(measured.map(addedPercent)),
    cpuMicroseconds: figure(measured.map((pair) => pair.first.microseconds)),
    requestsOfPair: figure(measured.map((pair) => pair.second.requests)),
  };
}
