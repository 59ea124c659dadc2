import type { Client } from "pg";
import type { LoadGenerator } from "../measure/http-load.ts";
import { alternate, type Figure, figure, ratio } from "../measure/statistics.ts";
import { type LiveFigures, measureLive } from "./live.ts";
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

/** Comparison with another version for live queries; ratios to the other version. */
export interface AgainstLive {
  readonly subscribers: number;
  readonly fanOutRatio: Figure;
  /** Processor time of the engine for a change. */
  readonly cpuRatio: Figure;
  readonly idleCpuRatio: Figure;
  readonly missing: number;
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

/** @param owner is connected as the owner of the tables */
export async function liveAgainst(
  { subscribers, changes, owner }: { subscribers: number; changes: number; owner: Client },
  { databaseUrl, checkout, pairs }: AgainstOptions,
): Promise<AgainstLive> {
  const own: LiveFigures[] = [];
  const others: LiveFigures[] = [];
  for (const folder of alternate([checkout, undefined], pairs).flat()) {
    const figures = await measureLive({ databaseUrl, owner, steps: [subscribers], changes, checkout: folder });
    (folder === undefined ? own : others).push(...figures);
  }
  const ratios = (read: (live: LiveFigures) => number): Figure => ratio(own.map(read), others.map(read));
  return {
    subscribers,
    fanOutRatio: ratios(({ fanOutMilliseconds }) => fanOutMilliseconds.median),
    cpuRatio: ratios(({ cpuMilliseconds }) => cpuMilliseconds.median),
    idleCpuRatio: ratios(({ idleCpu }) => idleCpu),
    missing: [...own, ...others].reduce((sum, { missing }) => sum + missing, 0),
  };
}
