/** One test of the summary. */
export interface TestRecord {
  /** File and titles, for searching. */
  readonly title: string;
  readonly state: "passed" | "failed" | "skipped";
  /** The failure, or the reason for a skip. */
  readonly reason?: string;
  /** Place of the failure, as editors open it: `tests/e2e/07-roles.test.ts:31:5`. */
  readonly place?: string;
  /** Duration of a finished test, without the hooks of its file. */
  readonly seconds?: number;
}

/** Result of one suite. */
export interface SuiteResult {
  readonly suite: string;
  readonly tests: readonly TestRecord[];
  /** Wall-clock time including all started services. */
  readonly seconds: number;
  /** Folder with the logs of its containers; only for a failed suite. */
  readonly logs?: string;
  /** File with its output; only for a failed suite that ran beside others. */
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

/** A suite in which no test ran has failed, because it proves nothing. */
export function withoutEmptiness(result: SuiteResult): SuiteResult {
  if (result.tests.some(({ state }) => state !== "skipped")) return result;
  const nothing: TestRecord = { title: result.suite, state: "failed", reason: "no test of this suite ran" };
  return { ...result, tests: [...result.tests, nothing] };
}
