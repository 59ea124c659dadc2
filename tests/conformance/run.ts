import { readFixtures, type Case, type Folder } from "./cases.ts";
import { CaseRunner, changesStage, type Outcome } from "./run-case.ts";
import { flagsFor, type ServerFlags } from "./server-flags.ts";
import { Stage } from "./stage.ts";
import { http, websocket, type Transport } from "./transports.ts";

export interface Result {
  readonly folder: string;
  readonly name: string;
  readonly transport: Transport["name"];
  readonly outcome: Outcome;
}

export interface RunOptions {
  readonly fixtures: string;
  /** Only cases of which the folder and name contain this. */
  readonly filter: string | undefined;
  /** Address of a Postgres whose role may create databases. */
  readonly database: string;
  readonly onResult: (result: Result) => void;
}

/** Runs what a filter leaves of the fixtures over both transports. */
export async function runFixtures({ fixtures, filter, database, onResult }: RunOptions): Promise<readonly Result[]> {
  const results: Result[] = [];
  const report = (result: Result) => {
    results.push(result);
    onResult(result);
  };
  for (const folder of readFixtures(fixtures)) {
    const cases = folder.cases.filter(({ name }) => filter === undefined || `${folder.name}/${name}`.includes(filter));
    for (const [flags, group] of byFlags(folder.name, cases)) await runGroup(folder, group, flags, database, report);
  }
  return results;
}

/** Cases that Hasura's suite runs with the same server. */
function byFlags(folder: string, cases: readonly Case[]): readonly (readonly [ServerFlags, readonly Case[]])[] {
  const groups = new Map<ServerFlags, Case[]>();
  for (const one of cases) {
    const flags = flagsFor(`${folder}/${one.name}`);
    groups.set(flags, [...(groups.get(flags) ?? []), one]);
  }
  return [...groups];
}

async function runGroup(folder: Folder, cases: readonly Case[], flags: ServerFlags, database: string, report: (result: Result) => void): Promise<void> {
  const results: Result[] = [];
  await using stage = new Stage(database, flags);
  try {
    await stage.start(folder.setup);
  } catch (error) {
    const difference = `the setup failed: ${(error as Error).message}`;
    for (const { name } of cases) {
      for (const transport of [http, websocket]) {
        report({ folder: folder.name, name, transport: transport.name, outcome: { kind: "failed", step: 0, description: undefined, difference, query: undefined } });
      }
    }
    return;
  }
  for (const transport of [http, websocket]) {
    const runner = new CaseRunner(stage, transport, folder.setup);
    for (const one of cases) {
      const outcome = changesStage(one) ? await runAlone(folder, one, flags, database, transport) : await runner.run(one);
      results.push({ folder: folder.name, name: one.name, transport: transport.name, outcome });
    }
  }
  for (const result of results) {
    report(result.outcome.kind === "failed" && folder.helpers.length > 0 ? await withHelpers(folder, result, flags, database, cases) : result);
  }
}

async function runAlone(folder: Folder, one: Case, flags: ServerFlags, database: string, transport: Transport): Promise<Outcome> {
  await using stage = new Stage(database, flags);
  await stage.start(folder.setup);
  return await new CaseRunner(stage, transport, folder.setup).run(one);
}

/**
 * Hasura's tests apply the folder's files of bare commands before some cases, in code that the files do not show. A case that fails
 * without them gets one more run, on a fresh stage, after each of them.
 */
async function withHelpers(folder: Folder, failed: Result, flags: ServerFlags, database: string, cases: readonly Case[]): Promise<Result> {
  const one = cases.find(({ name }) => name === failed.name);
  if (one === undefined) return failed;
  for (const helper of folder.helpers) {
    await using stage = new Stage(database, flags);
    try {
      await stage.start(folder.setup);
      for (const command of helper.commands) await stage.change(command);
    } catch {
      continue;
    }
    const outcome = await new CaseRunner(stage, failed.transport === "http" ? http : websocket, folder.setup).run(one);
    if (outcome.kind === "passed") return { ...failed, outcome: { ...outcome, notes: [...outcome.notes, `after ${helper.name}`] } };
  }
  return failed;
}
