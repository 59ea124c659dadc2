import { main } from "../main.ts";

/** Runs the tool in this process, in a directory. @returns exit code and outputs */
export async function routeql(
  directory: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
) {
  const [stdout, stderr]: [string[], string[]] = [[], []];
  const code = await main(args, {
    directory,
    environment,
    colours: false,
    out: (text) => stdout.push(`${text}\n`),
    err: (text) => stderr.push(`${text}\n`),
  });
  return { code, stdout: stdout.join(""), stderr: stderr.join("") };
}
