import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { takeDownLeftStack } from "../e2e/support/stack/own-stack.ts";
import { type CleanedUp, cleanUp } from "../harness/run/clean-up.ts";
import { runOfSuite, scratchPrefix } from "./folders.ts";
import { endProcessesWith } from "./processes.ts";
import { repository } from "../harness/repository.ts";
import { type Suite, suites } from "./suites.ts";

export interface Left extends CleanedUp {
  readonly stacks: number;
}

/** Removes all that suites of a run may have left, which is nothing unless they were interrupted or failed. Their processes have ended. */
export async function removeLeftovers(run: string, ended: readonly Pick<Suite, "name" | "ownStack">[]): Promise<Left> {
  let stacks = 0;
  for (const { name } of ended.filter(({ ownStack }) => ownStack === true))
    if (await takeDownLeftStack(name)) stacks += 1;
  // The preparation uses the identifier of the run itself.
  const identifiers = ended.length === 0 ? [] : [run, ...ended.map(({ name }) => runOfSuite(run, name))];
  const cleaned = await cleanUp(...identifiers);
  for (const entry of await readdir(tmpdir())) {
    if (ended.some(({ name }) => entry.startsWith(scratchPrefix(run, name))))
      await rm(join(tmpdir(), entry), { recursive: true, force: true });
  }
  return { ...cleaned, stacks };
}

/** A description of the remains. */
export function inWords(left: Left): string {
  const kinds = ["stacks", "containers", "networks", "volumes"] as const;
  const counts = kinds.map((kind) => [kind, left[kind]] as const).filter(([, count]) => count > 0);
  return counts.length === 0 ? "nothing" : counts.map(([kind, count]) => `${kind}: ${count}`).join(", ");
}

/** One file for each active run, so that the next one can clean up after a killed run. */
const runs = join(repository, ".routeql/test-runs");

interface RunRecord {
  readonly process: number;
  readonly suites: readonly string[];
}

/** Notes that this process works on a run; `forget` once nothing is left of it. */
export async function rememberRun(
  run: string,
  names: readonly string[],
): Promise<{ readonly forget: () => Promise<void> }> {
  const file = join(runs, `${run}.json`);
  await mkdir(runs, { recursive: true });
  await writeFile(file, JSON.stringify({ process: process.pid, suites: names } satisfies RunRecord));
  return { forget: () => rm(file, { force: true }) };
}

/** Removes the remains of ended runs of this checkout. */
export async function removeLeftoversOfKilledRuns(say: (text: string) => void): Promise<void> {
  for (const file of await readdir(runs).catch(() => [])) {
    const run = file.replace(/\.json$/, "");
    const record = JSON.parse(await readFile(join(runs, file), "utf8")) as RunRecord;
    if (isAlive(record.process)) continue;
    // The suites of a run whose own process alone was ended may work on.
    for (const name of record.suites)
      await endProcessesWith("ROUTEQL_TEST_RUN", runOfSuite(run, name), { each: 5_000 });
    const left = await removeLeftovers(
      run,
      suites.filter(({ name }) => record.suites.includes(name)),
    );
    await rm(join(runs, file), { force: true });
    say(`removed what a killed run had left: ${inWords(left)}`);
  }
}

function isAlive(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
