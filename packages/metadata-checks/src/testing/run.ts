import { execa } from "execa";

export interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program with only the given environment. A non-zero exit code is a result, not an error. */
export async function run(
  file: string,
  args: readonly string[],
  { cwd, env, timeout }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly timeout: number },
): Promise<Finished> {
  const {
    exitCode = -1,
    stdout,
    stderr,
  } = await execa(file, args, {
    cwd,
    env,
    extendEnv: false,
    timeout,
    input: "",
    reject: false,
    stripFinalNewline: false,
  });
  return { code: exitCode, stdout, stderr };
}
