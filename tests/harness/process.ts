import { spawn } from "node:child_process";

/** What a finished process left. */
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

/** Runs a program to its end; never throws for a non-zero exit. */
export async function run(file: string, args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  const { promise, resolve, reject } = Promise.withResolvers<Finished>();
  const child = spawn(file, args, { cwd: options.cwd, env: options.env ?? process.env, timeout: options.timeout, killSignal: "SIGKILL" });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
  child.once("error", reject);
  child.once("close", (code) =>
    resolve({ code: code ?? -1, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() }),
  );
  // A program that ends without reading its input is judged by its exit code.
  child.stdin.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") reject(error);
  });
  child.stdin.end(options.input ?? "");
  return promise;
}

/** Like {@link run}, but a non-zero exit is an error that shows the last lines of both streams. */
export async function mustRun(file: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const { code, stdout, stderr } = await run(file, args, options);
  if (code === 0) return stdout;
  const tail = `${stdout}\n${stderr}`.trim().split("\n").slice(-40).join("\n");
  throw new Error(`${file} ${args.slice(0, 4).join(" ")} ended with ${code}:\n${tail}`);
}
