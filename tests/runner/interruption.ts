import type { ChildProcess } from "node:child_process";
import { onInterrupt } from "@routeql/host/process";
import { runId } from "../harness/run/run.ts";
import { processesWith, signalTo } from "./processes.ts";
import { runOfSuite } from "./folders.ts";

export interface Interruption {
  readonly happened: () => boolean;
  /** A running suite, which receives an interruption. */
  readonly watch: (child: ChildProcess, suite: string) => void;
}

/**
 * The first Ctrl-C (SIGTERM, SIGHUP) stops the running suites, and the run removes their remains. The second one kills this process and
 * all its child processes at once.
 */
export function interruptible(): Interruption {
  const atWork = new Map<ChildProcess, string>();
  const begun = new Set<string>();
  const signal = onInterrupt((text) => console.log(`\n${text}`));
  // A terminal sends Ctrl-C to them directly; a plain kill does not reach them.
  signal.addEventListener("abort", () => {
    for (const child of atWork.keys()) child.kill("SIGINT");
  });
  process.once("exit", (code) => {
    if (code >= 128) console.log("Ended at once. The next run of a suite with containers removes what this run left.");
    for (const suite of begun)
      for (const id of processesWith("ROUTEQL_TEST_RUN", runOfSuite(runId, suite))) signalTo(id, "SIGKILL");
  });
  return {
    happened: () => signal.aborted,
    watch: (child, suite) => {
      begun.add(suite);
      atWork.set(child, suite);
      child.once("close", () => atWork.delete(child));
    },
  };
}
