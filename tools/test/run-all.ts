import type { ChildProcess } from "node:child_process";
import { cleanUp } from "../../tests/harness/clean-up.ts";
import { runId } from "../../tests/harness/run.ts";
import { takeDownLeftStack } from "../../tests/e2e/support/own-stack.ts";
import { removeEvidence, runOfSuite } from "./folders.ts";
import { prepare } from "./prepare.ts";
import type { SuiteResult } from "./results.ts";
import { runSuite } from "./run-suite.ts";
import { inLanes } from "./schedule.ts";
import type { Suite } from "./suites.ts";
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
  const run = async (suite: Suite): Promise<SuiteResult> => {
    const sharesTerminal = selected.length > 1;
    console.log(`\n[${selected.indexOf(suite) + 1}/${selected.length}] ${suite.name}: ${suite.what}`);
    const result = await runSuite(suite, { run: runId, filter, sharesTerminal, onStart: interruption.watch });
    if (sharesTerminal) console.log(`${suite.name.padEnd(12)} ended: ${closingLine([result])}, ${result.seconds.toFixed(1)} s`);
    results.push(result);
    return result;
  };
  const withContainers = selected.filter(({ needsDocker }) => needsDocker);
  try {
    await inLanes(selected.filter(({ needsDocker }) => !needsDocker), lanes, run, interruption.happened);
    if (withContainers.length > 0 && !interruption.happened()) {
      await prepare();
      await inLanes(withContainers, lanes, run, interruption.happened);
    }
  } finally {
    for (const { name, ownStack } of withContainers) {
      await cleanUp(runOfSuite(runId, name));
      if (ownStack === true) await takeDownLeftStack(name);
    }
    await removeEvidence(runId, results);
  }
  const inOrder = results.toSorted((one, other) => place(selected, one) - place(selected, other));
  return interruption.happened() ? [...inOrder, interrupted] : inOrder;
}

const interrupted: SuiteResult = { suite: "interrupted", seconds: 0, tests: [{ title: "the run was interrupted", state: "failed" }] };

const place = (selected: readonly Suite[], result: SuiteResult): number => selected.findIndex(({ name }) => name === result.suite);

/** Passes Ctrl-C and SIGTERM on to the suites at work: they take down what they started. */
function interruptible(): { readonly happened: () => boolean; readonly watch: (child: ChildProcess) => void } {
  const atWork = new Set<ChildProcess>();
  let happened = false;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      happened = true;
      // A terminal's Ctrl-C reaches them by itself, a plain kill does not.
      for (const child of atWork) child.kill(signal);
    });
  }
  return {
    happened: () => happened,
    watch: (child) => {
      atWork.add(child);
      child.once("close", () => atWork.delete(child));
    },
  };
}
