import type { LoadResult, Target } from "../measure/http-load.ts";
import type { LoadGenerator } from "../measure/load-generator.ts";
import { percentile } from "../measure/statistics.ts";

/** Requests of readers at regular times, so that they measure waiting and cause little load. */
const requestsPerSecond = 50;

export interface ReaderFigures {
  readonly requests: number;
  readonly failed: number;
  readonly p50Milliseconds: number;
  readonly p99Milliseconds: number;
}

/** Sends requests to the target for a time, and repeats while `again` returns true. */
export async function readers(
  generator: LoadGenerator,
  target: Target,
  milliseconds: number,
  again = () => false,
): Promise<ReaderFigures> {
  const results: LoadResult[] = [];
  do {
    results.push(await generator.run(target, { connections: 4, milliseconds, rate: requestsPerSecond }));
  } while (again());
  const latencies = Float64Array.from(results.flatMap((result) => [...result.latencies]));
  return {
    requests: latencies.length,
    failed: results.reduce((sum, { refusalLatencies, broken }) => sum + refusalLatencies.length + broken, 0),
    p50Milliseconds: percentile(latencies, 0.5),
    p99Milliseconds: percentile(latencies, 0.99),
  };
}
