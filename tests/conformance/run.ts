import { readFixtures, type Case, type Command, type Folder } from "./cases.ts";
import { CaseRunner, changesStage, type Outcome } from "./run-case.ts";
import { flagsFor, otherFlagsFor, type ServerFlags } from "./server-flags.ts";
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
  /** Only cases whose folder and name contain this. */
  readonly filter: string | undefined;
  /** Address of a Postgres whose role may create databases. */
  readonly database: string;
  readonly onResult: (result: Result) => void;
}

/** Runs the selected fixtures over both transports. */
export async function runFixtures({ fixtures, filter, database, onResult }: RunOptions): Promise<readonly Result[]> {
  const results: Result[] = [];
  const report = (result: Result) => {
    results.push(result);
    onResult(result);
  };
  for (const folder of readFixtures(fixtures)) {
    const cases = folder.cases.filter(({ name }) => filter === undefined || `${folder.name}/${name}`.includes(filter));
    for (const [flags, group] of byFlags(folder, cases)) await runGroup(folder, group, flags, database, report);
  }
  return results;
}

/** Cases that Hasura's suite runs with the same server. */
function byFlags({ directory }: Folder, cases: readonly Case[]): readonly (readonly [ServerFlags, readonly Case[]])[] {
  const groups = new Map<ServerFlags, Case[]>();
  for (const one of cases) {
    const flags = flagsFor(`${directory}/${one.name}`);
    groups.set(flags, [...(groups.get(flags) ?? []), one]);
  }
  return [...groups];
}

async function runGroup(
  folder: Folder,
  cases: readonly Case[],
  flags: ServerFlags,
  database: string,
  report: (result: Result) => void,
): Promise<void> {
  const results: Result[] = [];
  await using stage = new Stage(database, flags);
  try {
    if (folder.unusable !== undefined) throw new Error(folder.unusable);
    await stage.start(folder.setup);
  } catch (error) {
    for (const one of cases) {
      for (const transport of [http, websocket])
        report({ folder: folder.name, name: one.name, transport: transport.name, outcome: withoutStage(one, error) });
    }
    return;
  }
  for (const transport of [http, websocket]) {
    const runner = new CaseRunner(stage, transport, folder.setup);
    for (const one of cases) {
      const outcome = changesStage(one)
        ? await runAlone(folder, one, flags, database, transport)
        : await runner.run(one);
      results.push({ folder: folder.name, name: one.name, transport: transport.name, outcome });
    }
  }
  for (const result of results) {
    const one = cases.find(({ name }) => name === result.name);
    report(
      result.outcome.kind === "failed" && one !== undefined
        ? await againOtherwise(folder, one, result, flags, database)
        : result,
    );
  }
}

/** Result of a case whose folder's setup cannot be applied. */
function withoutStage({ unusable }: Case, error: unknown): Outcome {
  if (unusable !== undefined) return { kind: "skipped", reason: unusable };
  return {
    kind: "failed",
    step: 0,
    description: undefined,
    difference: `the setup failed: ${(error as Error).message}`,
    query: undefined,
  };
}

/** @param before commands that are first applied to the running engine */
async function runAlone(
  folder: Folder,
  one: Case,
  flags: ServerFlags,
  database: string,
  transport: Transport,
  before: readonly Command[] = [],
): Promise<Outcome> {
  try {
    await using stage = new Stage(database, flags);
    await stage.start(folder.setup);
    for (const command of before) await stage.change(command);
    return await new CaseRunner(stage, transport, folder.setup).run(one);
  } catch (error) {
    return withoutStage(one, error);
  }
}

/**
 * Hasura's tests apply the folder's files of bare commands before some cases, and start the server with other settings for some. The
 * files do not show which cases these are. A failed case runs again with each of these variants, on a fresh stage.
 */
async function againOtherwise(
  folder: Folder,
  one: Case,
  failed: Result,
  flags: ServerFlags,
  database: string,
): Promise<Result> {
  const transport = failed.transport === "http" ? http : websocket;
  const ways = [
    ...folder.helpers.map(({ name, commands }) => ({ note: `after ${name}`, flags, commands })),
    ...otherFlagsFor(`${folder.directory}/${one.name}`).map((other) => ({
      note: `with ${other.called}`,
      flags: other.flags,
      commands: [],
    })),
  ];
  for (const way of ways) {
    const outcome = await runAlone(folder, one, way.flags, database, transport, way.commands);
    if (outcome.kind === "passed") return { ...failed, outcome: { ...outcome, notes: [...outcome.notes, way.note] } };
  }
  return failed;
}
