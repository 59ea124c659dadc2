/** The commands as functions, for test suites that run a stack of their own (another name, other ports) with the same code. */
import { explain } from "@routeql/host/failure";
import { bringDown as down, type DownOptions, type DownResult } from "@routeql/cli/stack/bring-down";
import { bringUp as up, type UpOptions, type UpResult } from "@routeql/cli/stack/bring-up";
import { logFileOf } from "@routeql/cli/pulumi/session";

const silent = (): void => undefined;

/** An error whose message is complete: the failure, its last output lines, the remedy and the log file. */
async function explained<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new Error(explain(error, logFileOf(error)), { cause: error });
  }
}

/** Starts a stack, installs its prerequisites and waits until every service is healthy. Silent unless `log` is set. */
export function bringUp(options: UpOptions): Promise<UpResult> {
  return explained(up({ log: silent, ...options }));
}

/** Stops and removes a stack; `volumes` also deletes its data. Silent unless `log` is set. */
export function bringDown(options: DownOptions): Promise<DownResult> {
  return explained(down({ log: silent, ...options }));
}
