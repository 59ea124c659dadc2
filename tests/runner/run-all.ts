import { runId } from "../harness/run.ts";
import { removeEvidence } from "./folders.ts";
import { interruptible } from "./interruption.ts";
import { prepare } from "./prepare.ts";
import type { SuiteResult } from "./results.ts";
import { runSuite } from "./run-suite.ts";
import { inLanes } from "./schedule.ts";
import type { Suite } from "./suites.ts";
import { inWords, rememberRun, takeAway, takeAwayAfterEndedRuns } from "./take-away.ts";
import { closingLine } from "./summary.ts";

export interface RunAllOptions {
  /** Only tests whose title contains this. */
  readonly filter: string | undefined;
  /** Most suites at a time. */
  readonly lanes: number;
  /** A suite that this machine cannot run fails instead of being skipped. */
  readonly strict: boolean;
}

/**
 * Runs suites side by side where they may, those without containers first, and takes down what they left. After an interruption nothing more
 * starts, what runs ends in order, and the run counts as failed.
 */
export async function runAll(selected: readonly Suite[], { filter, lanes, strict }: RunAllOptions): Promise<SuiteResult[]> {
  const interruption = interruptible();
  const results: SuiteResult[] = [];
  const begun: Suite[] = [];
  const run = async (suite: Suite): Promise<SuiteResult> => {
    const sharesTerminal = selected.length > 1;
    begun.push(suite);
    console.log(`\n[${selected.indexOf(suite) + 1}/${selected.length}] ${suite.name}: ${suite.what}`);
    const result = await runSuite(suite, { run: runId, filter, sharesTerminal, onStart: interruption.watch });
    if (sharesTerminal) console.log(`${suite.name.padEnd(12)} ended: ${closingLine([result])}, ${result.seconds.toFixed(1)} s`);
    results.push(result);
    return result;
  };
  const withContainers = selected.filter(({ needsDocker }) => needsDocker);
  const remembered = await rememberRun(runId, withContainers.map(({ name }) => name));
  try {
    await inLanes(selected.filter(({ needsDocker }) => !needsDocker), lanes, run, interruption.happened);
    if (withContainers.length > 0 && !interruption.happened()) {
      const { runnable, others } = await prepareFor(withContainers, strict);
      for (const other of others) console.log(`\n${other.suite}: ${other.tests[0]!.state}: ${other.tests[0]!.reason}`);
      results.push(...others);
      if (runnable.length > 0) {
        await takeAwayAfterEndedRuns((text) => console.log(`  ${text}`));
        await inLanes(runnable, lanes, run, interruption.happened);
      }
    }
  } finally {
    const left = await takeAway(runId, begun.filter(({ needsDocker }) => needsDocker));
    await removeEvidence(runId, results);
    await remembered.forget();
    if (interruption.happened()) console.log(`\ninterrupted; what was left is taken away: ${inWords(left)}`);
  }
  const inOrder = results.toSorted((one, other) => place(selected, one) - place(selected, other));
  return interruption.happened() ? [...inOrder, interrupted] : inOrder;
}

interface Prepared {
  readonly runnable: readonly Suite[];
  /** Results of the suites that do not run. */
  readonly others: readonly SuiteResult[];
}

/** Brings what the suites need, and says for each suite that cannot run here what it lacks. */
async function prepareFor(suites: readonly Suite[], strict: boolean): Promise<Prepared> {
  const state = strict ? "failed" : "skipped";
  const isRoot = process.getuid?.() === 0;
  const forRoot = suites.filter(({ needsRoot }) => needsRoot !== undefined && !isRoot);
  const others = forRoot.map((suite) => withoutRun(suite, state, `needs root: ${suite.needsRoot}`));
  const runnable = suites.filter((suite) => !forRoot.includes(suite));
  if (runnable.length === 0) return { runnable, others };
  const obstacle = await prepare();
  if (obstacle === undefined) return { runnable, others };
  // One failure with the cause is enough, and the suites that wait for it are named.
  const [first, ...rest] = runnable.map((suite) => withoutRun(suite, obstacle.machine ? state : "failed", obstacle.reason));
  const waiting = rest.map((result) => (obstacle.machine ? result : withoutRun({ name: result.suite }, "skipped", `the preparation failed, see ${first!.suite}`)));
  return { runnable: [], others: [...others, first!, ...waiting] };
}

const withoutRun = ({ name }: Pick<Suite, "name">, state: "failed" | "skipped", reason: string): SuiteResult => ({
  suite: name,
  seconds: 0,
  tests: [{ title: "the whole suite", state, reason }],
});

const interrupted: SuiteResult = { suite: "interrupted", seconds: 0, tests: [{ title: "the run was interrupted", state: "failed" }] };

const place = (selected: readonly Suite[], result: SuiteResult): number => selected.findIndex(({ name }) => name === result.suite);
