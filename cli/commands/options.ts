import { withoutEngine } from "@routeql/host/docker/client";
import { explain, Failure } from "@routeql/host/failure";
import { onInterrupt } from "@routeql/host/process";
import { projectFolder } from "@routeql/host/paths";
import { unwritable } from "../bootstrap/rights.mjs";
import { withoutRights } from "../kubernetes/connection-error.ts";
import { logFileOf } from "../stack/session.ts";

/** Adds a remedy to errors of Docker, Kubernetes and the file system. */
export function explainable(error: unknown): unknown {
  const problem = unwritable(error, projectFolder);
  return problem === undefined
    ? withoutRights(withoutEngine(error))
    : new Failure(problem.what, { remedy: problem.remedy, cause: error });
}

/** Runs the work of a command. Handles Ctrl-C and explains an error with its log. Resolves to the exit code. */
export async function runInterruptibly(
  work: (signal: AbortSignal) => Promise<number>,
  say = (text: string): void => console.error(`\n${text}`),
): Promise<number> {
  const signal = onInterrupt(say);
  try {
    return await work(signal);
  } catch (error) {
    console.error(`\n${explain(signal.aborted ? signal.reason : explainable(error), logFileOf(error))}`);
    return signal.aborted ? 130 : 1;
  }
}
