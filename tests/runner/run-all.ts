import { runId } from "../harness/run.ts";
import { removeEvidence } from "./folders.ts";
import { interruptible } from "./interruption.ts";
import { prepare } from "./prepare.ts";
import type { SuiteResult } from "./results.ts";
import { runSuite } from "./run-suite.ts";
import { inLanes } from "./schedule.ts";
import type { Suite } from "./suites.ts";
import { inWords, rememberRun, removeLeftovers, removeLeftoversOfKilledRuns } from "./remove-leftovers.ts";
import { closingLine } from "./summary.ts";

export interface RunAllOptions {
  /** Only tests whose title contains this. */
  readonly filter: string | undefined;
  /** Maximum number of concurrent suites. */
  readonly lanes: number;
  /** A suite that this machine cannot run fails instead of being skipped. */
  readonly strict: boolean;
}

/**
 * Runs suites concurrently if possible, those without containers first, and removes their remains. After an interruption no suite
 * starts, running suites stop cleanly, and the run counts as failed.
 */
export async function runAll(
  selected: readonly Suite[],
  { filter, lanes, strict }: RunAllOptions,
): Promise<SuiteResult[]> {
  const interruption = interruptible();
  const results: SuiteResult[] = [];
  const begun: Suite[] = [];
  const run = async (suite: Suite): Promise<SuiteResult> => {
    const sharesTerminal = selected.length > 1;
    begun.push(suite);
    console.log(`\n[${selected.indexOf(suite) + 1}/${selected.length}] ${suite.name}: ${suite.what}`);
    const result = await runSuite(suite, { run: runId, filter, sharesTerminal, onStart: interruption.watch });
    if (sharesTerminal)
      console.log(`${suite.name.padEnd(12)} ended: ${closingLine([result])}, ${result.seconds.toFixed(1)} s`);
    results.push(result);
    return result;
  };
  const withContainers = selected.filter(({ needsDocker }) => needsDocker);
  const remembered = await rememberRun(
    runId,
    withContainers.map(({ name }) => name),
  );
  try {
    await inLanes(
      selected.filter(({ needsDocker }) => !needsDocker),
      lanes,
      run,
      interruption.happened,
    );
    if (withContainers.length > 0 && !interruption.happened()) {
      const { runnable, others } = await prepareFor(withContainers, strict);
      for (const other of others) console.log(`\n${other.suite}: ${other.tests[0]!.state}: ${other.tests[0]!.reason}`);
      results.push(...others);
      if (runnable.length > 0) {
        await removeLeftoversOfKilledRuns((text) => console.log(`  ${text}`));
        await inLanes(runnable, lanes, run, interruption.happened);
      }
    }
  } finally {
    const left = await removeLeftovers(
      runId,
      begun.filter(({ needsDocker }) => needsDocker),
    );
    await removeEvidence(runId, results);
    await remembered.forget();
    if (interruption.happened()) console.log(`\ninterrupted; removed what was left: ${inWords(left)}`);
  }
  const inOrder = results.toSorted((one, other) => place(selected, one) - place(selected, other));
  return interruption.happened() ? [...inOrder, interrupted] : inOrder;
}

interface Prepared {
  readonly runnable: readonly Suite[];
  /** Results of the suites that do not run. */
  readonly others: readonly SuiteResult[];
}

/** Prepares the requirements of the suites; returns the missing requirement of each suite that cannot run. */
async function prepareFor(suites: readonly Suite[], strict: boolean): Promise<Prepared> {
  const state = strict ? "failed" : "skipped";
  const isRoot = process.getuid?.() === 0;
  const forRoot = suites.filter(({ needsRoot }) => needsRoot !== undefined && !isRoot);
  const others = forRoot.map((suite) => withoutRun(suite, state, `needs root: ${suite.needsRoot}`));
  const runnable = suites.filter((suite) => !forRoot.includes(suite));
  if (runnable.length === 0) return { runnable, others };
  const obstacle = await prepare();
  if (obstacle === undefined) return { runnable, others };
  // One failure with the cause is enough; it names the waiting suites.
  const [first, ...rest] = runnable.map((suite) =>
    withoutRun(suite, obstacle.machine ? state : "failed", obstacle.reason),
  );
  const waiting = rest.map((result) =>
    obstacle.machine
      ? result
      : withoutRun({ name: result.suite }, "skipped", `the preparation failed, see ${first!.suite}`),
  );
  return { runnable: [], others: [...others, first!, ...waiting] };
}

const withoutRun = ({ name }: Pick<Suite, "name">, state: "failed" | "skipped", reason: string): SuiteResult => ({
  suite: name,
  seconds: 0,
  tests: [{ title: "the whole suite", state, reason }],
});

const interrupted: SuiteResult = {
  suite: "interrupted",
  seconds: 0,
  tests: [{ title: "the run was interrupted", state: "failed" }],
};

const place = (selected: readonly Suite[], result: SuiteResult): number =>
  selected.findIndex(({ name }) => name === result.suite);
