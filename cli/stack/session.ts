import { Failure, messageOf } from "@routeql/host/failure";
import { stackPaths, type StackPaths } from "@routeql/host/paths";
import { tryLock } from "@routeql/host/process-lock";
import { asFailure } from "./pulumi-command.ts";
import { openRunLog, type RunLog } from "../foundation/run-log.ts";

export interface RunOptions {
  readonly stack: string;
  /** Stops the work cleanly when aborted. */
  readonly signal?: AbortSignal;
  /** Receives the lines instead of the terminal. */
  readonly log?: (line: string) => void;
}

export interface Session {
  readonly stack: string;
  readonly paths: StackPaths;
  readonly log: RunLog;
  readonly signal: AbortSignal;
  readonly show: ((line: string) => void) | undefined;
}

/** The log file of a failed run, for the error message. */
const logFiles = new WeakMap<object, string>();
export const logFileOf = (error: unknown): string | undefined =>
  typeof error === "object" && error !== null ? logFiles.get(error) : undefined;

/**
 * Does one piece of work on a stack: exclusively, and with a log.
 * @throws Failure when another run works on the same stack
 */
export async function withSession<T>(
  command: string,
  { stack, signal, log: show }: RunOptions,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const paths = stackPaths(stack);
  const lock = await tryLock(paths.lock, `npm run ${command}`);
  if ("heldBy" in lock) {
    throw new Failure(`Another run is working on the stack ${stack}: ${lock.heldBy}`, {
      remedy: "wait until it ends, or stop it.",
    });
  }
  const log = openRunLog(paths.logs, command);
  try {
    return await work({ stack, paths, log, signal: signal ?? new AbortController().signal, show });
  } catch (thrown) {
    const error = asFailure(thrown);
    log.line(`failed: ${error instanceof Error ? (error.stack ?? error.message) : messageOf(error)}`);
    if (typeof error === "object" && error !== null) logFiles.set(error, log.file);
    throw error;
  } finally {
    await log.close();
    await lock.release();
  }
}
