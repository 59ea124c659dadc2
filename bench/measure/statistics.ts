/** The value below which `share` (0 to 1) of the values lie, by nearest rank; NaN without values. */
export function percentile(values: Float64Array, share: number): number {
  if (values.length === 0) return Number.NaN;
  const sorted = values.toSorted();
  const rank = Math.max(1, Math.ceil(share * sorted.length));
  return sorted[rank - 1] as number;
}

/** The median; NaN without values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? Number.NaN;
  return Number.isInteger(middle) ? ((sorted[middle - 1] ?? Number.NaN) + upper) / 2 : upper;
}

/** The median of several rounds, with minimum and maximum. */
export interface Figure {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

export function figure(rounds: readonly number[]): Figure {
  return { median: median(rounds), least: Math.min(...rounds), most: Math.max(...rounds) };
}

/** Ratio of two contenders, round by round: both run right after each other, so other load on the machine hardly changes it. */
export function ratio<Round>(ones: readonly Round[], others: readonly Round[], read: (round: Round) => number): Figure {
  return figure(ones.map((one, round) => read(one) / read(others[round]!)));
}

/** Measures each contender once to warm up, then once per round, in alternating order, so that a slowing machine favours none. */
export async function inRounds<Contender, Result>(
  contenders: readonly Contender[],
  rounds: number,
  measure: (contender: Contender, isWarmUp: boolean) => Promise<Result>,
): Promise<Result[][]> {
  const measured: Result[][] = contenders.map(() => []);
  for (const contender of contenders) await measure(contender, true);
  for (let round = 0; round < rounds; round += 1) {
    const order = [...contenders.keys()];
    for (const index of round % 2 === 0 ? order : order.toReversed())
      measured[index]?.push(await measure(contenders[index] as Contender, false));
  }
  return measured;
}
