import { runId } from "../../tests/harness/run.ts";
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
}

/**
 * Runs suites side by side where they may, those without containers first, and takes down what they left. After an interruption nothing more
 * starts, what runs ends in order, and the run counts as failed.
 */
export async function runAll(selected: readonly Suite[], { filter, lanes }: RunAllOptions): Promise<SuiteResult[]> {
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
      await prepare();
      await takeAwayAfterEndedRuns((text) => console.log(`  ${text}`));
      await inLanes(withContainers, lanes, run, interruption.happened);
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

const interrupted: SuiteResult = { suite: "interrupted", seconds: 0, tests: [{ title: "the run was interrupted", state: "failed" }] };

const place = (selected: readonly Suite[], result: SuiteResult): number => selected.findIndex(({ name }) => name === result.suite);
