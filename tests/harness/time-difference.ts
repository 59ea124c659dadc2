/** What remains of one sample without its slowest values. */
interface Trimmed {
  readonly mean: number;
  /** Variance of that mean. */
  readonly variance: number;
}

/** The values set aside count as the slowest that is kept (winsorised): leaving them out of the variance too would make differences by chance look large. */
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

/** The threshold of leakage assessment (TVLA): a difference by chance is larger once in more than 100,000 comparisons. */
export const significant = 4.5;

/**
 * How far apart two samples of times are, in standard errors: Welch's t for means of which a share of the slowest is set aside, since those
 * are the machine's (Yuen, Biometrika 61, 1974, for one side).
 * @param setAside between 0 and 1
 */
export function timeDifference(first: readonly number[], second: readonly number[], setAside: number): number {
  const [one, other] = [trim(first, setAside), trim(second, setAside)];
  return (one.mean - other.mean) / Math.sqrt(one.variance + other.variance);
}
