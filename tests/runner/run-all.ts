import { runId } from "../harness/run/run.ts";
import { removeEvidence } from "./folders.ts";
import { interruptible } from "./interruption.ts";
import { buildKubernetesEarly, type Obstacle, prepare } from "./prepare.ts";
import type { SuiteResult } from "./results.ts";
import { runSuite } from "./run-suite.ts";
import { inLanes } from "./lanes.ts";
import { lacksRoot, type Suite } from "./suites.ts";
import { inWords, rememberRun, removeLeftovers, removeLeftoversOfKilledRuns } from "./leftovers.ts";
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
 * Runs the suites in their order, concurrently if possible, and removes their remains. The preparation of the container suites runs
 * beside the first commands. After an interruption no suite starts, running suites stop cleanly, and the run counts
 * as failed.
 */
export async function runAll(
  selected: readonly Suite[],
  { filter, lanes, strict }: RunAllOptions,
): Promise<SuiteResult[]> {
  const withContainers = selected.filter(({ needsDocker }) => needsDocker);
  const remembered = await rememberRun(
    runId,
    withContainers.map(({ name }) => name),
  );
  const interruption = interruptible();
  const begun: Suite[] = [];
  const cannotRun = obstacles(withContainers, strict);
  const earlyBuild = new AbortController();
  let buildsKubernetes = withContainers.some((suite) => suite.name === "kubernetes" && !lacksRoot(suite));
  const run = async (suite: Suite): Promise<SuiteResult> => {
    // Tests wait for the preparation, because its builds would slow them down.
    const obstacle = suite.kind === "vitest" ? await cannotRun(suite) : undefined;
    if (obstacle !== undefined) {
      console.log(`\n${suite.name}: ${obstacle.tests[0]!.state}: ${obstacle.tests[0]!.reason}`);
      return obstacle;
    }
    // Not beside the suites of `npm test`, for which contributors wait.
    if (buildsKubernetes && suite.kind === "vitest" && suite.tier !== "test") {
      buildsKubernetes = false;
      buildKubernetesEarly(earlyBuild.signal);
    }
    const sharesTerminal = selected.length > 1;
    begun.push(suite);
    console.log(`\n[${selected.indexOf(suite) + 1}/${selected.length}] ${suite.name}: ${suite.what}`);
    const result = await runSuite(suite, { run: runId, filter, sharesTerminal, onStart: interruption.watch });
    if (sharesTerminal)
      console.log(`${suite.name.padEnd(12)} ended: ${closingLine([result])}, ${result.seconds.toFixed(1)} s`);
    return result;
  };
  const results: SuiteResult[] = [];
  try {
    results.push(...(await inLanes(selected, lanes, run, interruption.happened)));
  } finally {
    earlyBuild.abort();
    const left = await removeLeftovers(
      runId,
      begun.filter(({ needsDocker }) => needsDocker),
    );
    await removeEvidence(runId, results);
    await remembered.forget();
    if (interruption.happened()) console.log(`\ninterrupted; removed what was left: ${inWords(left)}`);
  }
  return interruption.happened() ? [...results, interrupted] : results;
}

/** Starts the preparation of the container suites, and returns a function with the result of a suite that cannot run here. */
function obstacles(
  withContainers: readonly Suite[],
  strict: boolean,
): (suite: Suite) => Promise<SuiteResult | undefined> {
  const state = strict ? "failed" : "skipped";
  const runnable = withContainers.filter((suite) => !lacksRoot(suite));
  const preparation = runnable.length === 0 ? undefined : prepareContainers(runnable);
  return async (suite) => {
    const obstacle = await preparation;
    if (!suite.needsDocker) return undefined;
    if (lacksRoot(suite)) return withoutRun(suite, state, `needs root: ${suite.needsRoot}`);
    if (obstacle === undefined) return undefined;
    if (obstacle.machine) return withoutRun(suite, state, obstacle.reason);
    // One failure with the cause is enough; it names the waiting suites.
    return suite === runnable[0]
      ? withoutRun(suite, "failed", obstacle.reason)
      : withoutRun(suite, "skipped", `the preparation failed, see ${runnable[0]!.name}`);
  };
}

async function prepareContainers(runnable: readonly Suite[]): Promise<Obstacle | undefined> {
  const obstacle = await prepare({ withStack: runnable.some(({ ownStack }) => ownStack === true) });
  if (obstacle === undefined) await removeLeftoversOfKilledRuns((text) => console.log(`  ${text}`));
  return obstacle;
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
