/** One test as the summary needs it. */
export interface TestRecord {
  /** File and titles, as a person would look for it. */
  readonly title: string;
  readonly state: "passed" | "failed" | "skipped";
  /** The failure, or the reason for a skip. */
  readonly reason?: string;
  /** Where it went wrong, as editors open it: `tests/e2e/07-roles.test.ts:31:5`. */
  readonly place?: string;
  /** How long a test that ran took, without the hooks of its file. */
  readonly seconds?: number;
}

/** Result of one suite. */
export interface SuiteResult {
  readonly suite: string;
  readonly tests: readonly TestRecord[];
  /** Wall-clock time with all that it started and stopped. */
  readonly seconds: number;
  /** Folder with the logs of its containers; only for a suite that failed. */
  readonly logs?: string;
  /** File of all that it printed; only for a suite that failed while others ran. */
  readonly output?: string;
}

export interface Totals {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Counts by state over any number of suites. */
export function totals(results: readonly SuiteResult[]): Totals {
  const count = (state: TestRecord["state"]): number =>
    results.reduce((sum, { tests }) => sum + tests.filter((test) => test.state === state).length, 0);
  return { passed: count("passed"), failed: count("failed"), skipped: count("skipped") };
}

/** A suite in which no test ran has failed: it would prove nothing. */
export function withoutEmptiness(result: SuiteResult): SuiteResult {
  if (result.tests.some(({ state }) => state !== "skipped")) return result;
  const nothing: TestRecord = { title: result.suite, state: "failed", reason: "no test of this suite ran" };
  return { ...result, tests: [...result.tests, nothing] };
}
