import { resolve } from "node:path";
import { expect } from "vitest";
import { type Finished, run } from "../../../harness/process.ts";
import { stack } from "./stack.ts";

const repository = resolve(import.meta.dirname, "../../../..");

/** `npm run users -- …` or `npm run keys -- …` on the stack under test. */
export function administer(words: readonly string[], input?: string): Promise<Finished> {
  const [subject = "", ...rest] = words;
  const options = { cwd: repository, timeout: 60_000, ...(input === undefined ? {} : { input }) };
  return run(process.execPath, ["cli/main.ts", subject, "--stack", stack.name, ...rest], options);
}

/** Its standard output; it must succeed. */
export async function done(words: readonly string[], input?: string): Promise<string> {
  const { code, stdout, stderr } = await administer(words, input);
  expect({ code, stderr }, words.join(" ")).toEqual({ code: 0, stderr: "" });
  return stdout;
}

/** Its rows. */
export const rows = async (words: readonly string[], input?: string): Promise<Record<string, unknown>[]> =>
  JSON.parse(await done([...words, "--json"], input)) as Record<string, unknown>[];
