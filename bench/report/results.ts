import { mkdir, writeFile } from "node:fs/promises";
import { cpus, loadavg, totalmem } from "node:os";
import { join, relative, resolve } from "node:path";

const repository = resolve(import.meta.dirname, "../..");

/** The machine of the measurements; its load shows whether other work disturbed them. */
export interface Surroundings {
  readonly at: string;
  readonly node: string;
  readonly processors: number;
  readonly memoryGigabytes: number;
  /** Load average of one minute at the start of the run. */
  readonly loadBefore: number;
  readonly quick: boolean;
}

export function surroundings(quick: boolean): Surroundings {
  return {
    at: new Date().toISOString(),
    node: process.version,
    processors: cpus().length,
    memoryGigabytes: Math.round(totalmem() / 1e9),
    loadBefore: Math.round((loadavg()[0] ?? 0) * 10) / 10,
    quick,
  };
}

/** Writes `bench/results/<name>.json` and returns its path below the repository. */
export async function writeResults(name: string, results: object): Promise<string> {
  const path = join(repository, "bench/results", `${name}.json`);
  await mkdir(join(repository, "bench/results"), { recursive: true });
  await writeFile(path, `${JSON.stringify(results, null, 2)}\n`);
  return relative(repository, path);
}
