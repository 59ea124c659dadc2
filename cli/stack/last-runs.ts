import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { stackPaths } from "@routeql/host/paths";

const lastRun = z.object({ at: z.string(), bytes: z.number().optional() });
const lastRuns = z.object({ backup: lastRun.optional(), restore: lastRun.optional() });

/** The last successful backup and restore of a stack from this checkout. */
export type LastRuns = z.infer<typeof lastRuns>;

const fileOf = (stack: string): string => join(stackPaths(stack).folder, "last-runs.json");

/** Empty for a stack that neither was backed up nor restored from this checkout, and for a file that cannot be read. */
export async function readLastRuns(stack: string): Promise<LastRuns> {
  const text = await readFile(fileOf(stack), "utf8").catch(() => "{}");
  return lastRuns.catch({}).parse(JSON.parse(text));
}

/** Records a run for `npm run status`. */
export async function keepLastRun(stack: string, name: keyof LastRuns, bytes?: number): Promise<void> {
  const file = fileOf(stack);
  const runs = { ...(await readLastRuns(stack)), [name]: { at: new Date().toISOString(), ...(bytes === undefined ? {} : { bytes }) } };
  await mkdir(stackPaths(stack).folder, { recursive: true });
  const unfinished = `${file}.${process.pid}`;
  await writeFile(unfinished, `${JSON.stringify(runs)}\n`, { mode: 0o600 });
  await rename(unfinished, file);
}
