/** The rest of one sample without its slowest values. */
interface Trimmed {
  readonly mean: number;
  /** Variance of the mean. */
  readonly variance: number;
}

/** The removed values count as the slowest kept one (winsorised). If the variance also omitted them, differences by chance would look large. */
function trim(values: readonly number[], setAside: number): Trimmed {
  const kept = values.toSorted((left, right) => left - right).slice(0, Math.ceil(values.length * (1 - setAside)));
  const mean = average(kept);
  const most = kept.at(-1) ?? Number.NaN;
  const winsorised = values.map((value) => Math.min(value, most));
  const centre = average(winsorised);
  const squares = winsorised.reduce((sum, value) => sum + (value - centre) ** 2, 0);
  return { mean, variance: squares / (kept.length * (kept.length - 1)) };
}

const average = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The threshold of leakage assessment (TVLA): a larger difference by chance occurs less than once in 100,000 comparisons. */
export const significant = 4.5;

/**
 * Difference of two samples of durations in standard errors: Welch's t for means without a fraction of the slowest values, which are
 * noise of the machine (Yuen, Biometrika 61, 1974, for one side).
 * @param setAside between 0 and 1
 */
export function timeDifference(first: readonly number[], second: readonly number[], setAside: number): number {
  const [one, other] = [trim(first, setAside), trim(second, setAside)];
  return (one.mean - other.mean) / Math.sqrt(one.variance + other.variance);
}
