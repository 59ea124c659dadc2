import { execa } from "execa";

/** Result of a finished process. */
export interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  /** Replaces the whole environment when given. */
  readonly env?: NodeJS.ProcessEnv;
  readonly input?: string;
  /** Milliseconds after which the process is killed; the result then has code -1. */
  readonly timeout?: number;
}

/** Runs a program until it exits; never throws for a non-zero exit. */
export async function run(
  file: string,
  args: readonly string[],
  { cwd, env, input = "", timeout }: RunOptions = {},
): Promise<Finished> {
  const result = await execa(file, args, {
    cwd,
    env,
    extendEnv: env === undefined,
    input,
    timeout,
    killSignal: "SIGKILL",
    reject: false,
    stripFinalNewline: false,
  });
  // Without an exit code it was killed or never started.
  if (result.exitCode === undefined && result.signal === undefined && !result.timedOut) throw result;
  return { code: result.exitCode ?? -1, stdout: result.stdout, stderr: result.stderr };
}

/** Like {@link run}, but a non-zero exit throws an error with the last lines of both streams. */
export async function mustRun(file: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const { code, stdout, stderr } = await run(file, args, options);
  if (code === 0) return stdout;
  const tail = `${stdout}\n${stderr}`.trim().split("\n").slice(-40).join("\n");
  throw new Error(`${file} ${args.slice(0, 4).join(" ")} ended with ${code}:\n${tail}`);
}
