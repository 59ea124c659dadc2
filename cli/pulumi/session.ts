import { createWriteStream, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Failure, messageOf } from "@routeql/host/failure";
import { stackPaths, type StackPaths } from "@routeql/host/paths";
import { tryLock } from "@routeql/host/process-lock";
import { asFailure } from "./pulumi-command.ts";

const kept = 20;

/** The full log of one run; the terminal shows only some of it. */
interface RunLog {
  readonly file: string;
  readonly line: (text: string) => void;
  readonly close: () => Promise<void>;
}

/** Opens `<folder>/<time>-<command>.log` (mode 0600) and deletes old logs. */
function openRunLog(folder: string, command: string): RunLog {
  mkdirSync(folder, { recursive: true });
  const old = readdirSync(folder)
    .filter((name) => name.endsWith(".log"))
    .toSorted();
  for (const name of old.slice(0, Math.max(0, old.length - kept + 1))) rmSync(join(folder, name), { force: true });
  const file = join(folder, `${new Date().toISOString().replaceAll(/[:.]/g, "-")}-${command}.log`);
  const stream = createWriteStream(file, { mode: 0o600 });
  // A full disk must not end the run in the middle of its work.
  stream.on("error", () => undefined);
  return {
    file,
    line: (text) => {
      stream.write(`${new Date().toISOString()} ${text}\n`);
    },
    close: () =>
      new Promise((resolve) => {
        stream.end(resolve);
      }),
  };
}

export interface RunOptions {
  readonly stack: string;
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

/** Does one piece of work on a stack: exclusively, and with a log. @throws Failure when another run works on the same stack */
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
