import type { LoadGenerator } from "../measure/http-load.ts";
import { type Figure, figure } from "../measure/statistics.ts";
import { addedPercent, comparePairs } from "./pairs.ts";
import type { Case } from "./contenders.ts";
import type { Rounds } from "./queries.ts";

/** Comparison with another version for one query; the values of a figure are those of the pairs. */
export interface AgainstQuery {
  readonly case: string;
  /** Additional processor time of this version's engine for one request. */
  readonly addedPercent: Figure;
  /** Requests per second, of the other version's. */
  readonly rateRatio: Figure;
  /** Processor time of the other version's engine for one request. */
  readonly cpuMicroseconds: Figure;
}

export interface AgainstOptions {
  readonly databaseUrl: string;
  /** Folder of the other version, with its packages installed. */
  readonly checkout: string;
  readonly generator: LoadGenerator;
  readonly pairs: number;
  readonly rounds: Rounds;
}

/** Compares this version's engine with that of another checkout, each with its own metadata. */
export async function queriesAgainst(
  cases: readonly Case[],
  { databaseUrl, checkout, ...options }: AgainstOptions,
): Promise<AgainstQuery[]> {
  const figures: AgainstQuery[] = [];
  for (const asked of cases) {
    const first = { databaseUrl, checkout };
    const measured = await comparePairs({ ...options, asked, first, second: { databaseUrl } });
    figures.push({
      case: asked.name,
      addedPercent: figure(measured.map(addedPercent)),
      rateRatio: figure(measured.map((pair) => pair.second.requests / pair.first.requests)),
      cpuMicroseconds: figure(measured.map((pair) => pair.first.microseconds)),
    });
  }
  return figures;
}
