import { type ChildProcess, spawn } from "node:child_process";
import { Failure, Interrupted } from "./failure.ts";

export interface RunOptions {
  readonly environment?: NodeJS.ProcessEnv;
  readonly workingDirectory?: string;
  /** Receives every line of both outputs immediately. */
  readonly onLine?: (line: string) => void;
  readonly signal?: AbortSignal;
  /** Signal for the whole process group on an abort; undefined lets the program finish (a package manager must not be interrupted). */
  readonly interruptWith?: NodeJS.Signals;
  readonly timeoutMilliseconds?: number;
  readonly remedy?: string;
  /** Receives the process id after the start. */
  readonly onStart?: (id: number) => void;
}

export interface RunResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const running = new Set<ChildProcess>();

function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, signal);
  } catch {
    // the group has already ended
  }
}

/** Whether this user has a process with this id. */
export function isRunning(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch {
    return false;
  }
}

/** Kills every program started here and its children. */
export function killAll(): void {
  for (const child of running) killGroup(child, "SIGKILL");
}

/** Calls `onLine` for each whole line of a stream of chunks; `end` passes the last one, which may lack a line break. */
export function lineSplitter(onLine: (line: string) => void): { add: (chunk: string) => void; end: () => void } {
  let rest = "";
  return {
    add(chunk) {
      const lines = (rest + chunk).split(/\r?\n/);
      rest = lines.pop() ?? "";
      for (const line of lines) if (line !== "") onLine(line);
    },
    end() {
      if (rest !== "") onLine(rest);
      rest = "";
    },
  };
}

/** Runs a program in its own process group, so that Ctrl-C reaches it only once. @throws Failure on no start or a time limit */
export async function runToEnd(program: string, args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  options.signal?.throwIfAborted();
  const child = spawn(program, args, {
    env: options.environment ?? process.env,
    cwd: options.workingDirectory,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  running.add(child);
  if (child.pid !== undefined) options.onStart?.(child.pid);
  const collected = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    const lines = lineSplitter((line) => options.onLine?.(line));
    child[name].setEncoding("utf8").on("data", (chunk: string) => {
      collected[name] += chunk;
      lines.add(chunk);
    });
    child[name].on("end", lines.end);
  }
  const interrupt = (): void => {
    if (options.interruptWith) killGroup(child, options.interruptWith);
  };
  options.signal?.addEventListener("abort", interrupt, { once: true });
  let timedOut = false;
  const timer =
    options.timeoutMilliseconds === undefined
      ? undefined
      : setTimeout(() => {
          timedOut = true;
          killGroup(child, "SIGKILL");
        }, options.timeoutMilliseconds);
  try {
    const code = await new Promise<number>((resolve, reject) => {
      child.on("error", (error) =>
        reject(new Failure(`${program} cannot be started: ${error.message}`, { remedy: options.remedy, cause: error })),
      );
      child.on("close", (exitCode) => resolve(exitCode ?? -1));
    });
    if (timedOut) {
      throw new Failure(
        `${program} ${args[0] ?? ""} exceeded its time limit of ${(options.timeoutMilliseconds ?? 0) / 1000} s`,
        { remedy: options.remedy, lastLines: lastLines(collected) },
      );
    }
    return { code, ...collected };
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener("abort", interrupt);
    running.delete(child);
  }
}

function lastLines({ stdout, stderr }: { stdout: string; stderr: string }): string[] {
  return `${stdout}\n${stderr}`.split("\n").filter(Boolean).slice(-20);
}

/** Like runToEnd, but any other exit code than 0 is a Failure with the output's last lines. */
export async function run(program: string, args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  const result = await runToEnd(program, args, options);
  if (result.code !== 0) {
    options.signal?.throwIfAborted();
    throw new Failure(`${program} ${args.slice(0, 2).join(" ")} ended with exit code ${result.code}`, {
      remedy: options.remedy,
      lastLines: lastLines(result),
    });
  }
  return result;
}

/** A terminal, npm and the bootstrap may each deliver one Ctrl-C: signals this close together count as one. */
const oneKeypressMilliseconds = 400;

/** Turns the first Ctrl-C, SIGTERM or SIGHUP into an abort of the returned signal. The second one kills all child processes. */
export function onInterrupt(say: (text: string) => void): AbortSignal {
  const controller = new AbortController();
  let first: number | undefined;
  const handle = (signal: NodeJS.Signals): void => {
    if (first === undefined) {
      first = Date.now();
      say("Stopping cleanly; press Ctrl-C again to stop immediately.");
      controller.abort(new Interrupted());
    } else if (Date.now() - first > oneKeypressMilliseconds) {
      killAll();
      process.exit(signal === "SIGINT" ? 130 : 143);
    }
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, handle);
  return controller.signal;
}
