import type { Client } from "pg";
import { loadHelp, type LoadArguments, parseLoadArguments, UsageError } from "./arguments.ts";
import { demoMember } from "./demo.ts";
import { loadInput } from "./load-input.ts";
import { type Member, members } from "./members.ts";
import type { CommandOutput, OpenDatabase } from "../shared/opened-database.ts";
import { Progress } from "./progress.ts";
import { ReadBytes } from "./read-bytes.ts";
import { BrokenInput } from "./refusal.ts";
import { details, summarize } from "./summary.ts";
import { Tally } from "./tally.ts";
import { unreadable } from "../shared/unreadable.ts";
import { withClient } from "../shared/with-client.ts";

export type { OpenDatabase, OpenedDatabase } from "../shared/opened-database.ts";

interface Input {
  readonly name: string;
  readonly members: (tally: Tally) => AsyncIterable<Member>;
  /** The share that was read, 0 to 1; undefined if the size is unknown. */
  readonly share: (tally: Tally) => number | undefined;
}

/**
 * `npm run load`: loads routing data and prints the result of each input.
 * @param openDatabase connects to the database as `routeql_loader`; called once.
 * @returns the exit code: 0, 1 for a broken input, 2 for invalid arguments.
 * @throws errors of the database or of the connection.
 */
export async function loadCommand(
  args: readonly string[],
  openDatabase: OpenDatabase,
  output: CommandOutput = process,
): Promise<number> {
  let parsed: LoadArguments;
  try {
    parsed = parseLoadArguments(args);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    output.stderr.write(`${error.message}\n\n${loadHelp}`);
    return 2;
  }
  if (parsed.help) {
    output.stdout.write(loadHelp);
    return 0;
  }
  return withClient(openDatabase, "routeql-load", async (client) => {
    let broken = 0;
    const gone = new AbortController();
    client.once("end", () => gone.abort());
    for (const input of inputs(parsed, gone.signal)) if (!(await load(client, input, output))) broken += 1;
    return broken === 0 ? 0 : 1;
  });
}

/** Whether the input could be loaded. */
async function load(client: Client, input: Input, { stdout, stderr }: CommandOutput): Promise<boolean> {
  const tally = new Tally();
  try {
    const report = await withProgress(stderr, input, (progress) =>
      loadInput(client, input.members(tally), { tally, share: () => input.share(tally), onProgress: (step) => progress.show(step) }),
    );
    stdout.write(`${summarize(input.name, report)}\n`);
    return true;
  } catch (error) {
    const reason = error instanceof BrokenInput ? error.message : unreadable(error);
    if (reason === undefined) throw error;
    stderr.write(`${[`${input.name}: nothing was loaded: ${reason}`, ...details(tally)].join("\n")}\n`);
    return false;
  }
}

async function withProgress<T>(stream: CommandOutput["stderr"], { name }: Input, work: (progress: Progress) => Promise<T>): Promise<T> {
  using progress = new Progress(stream, name);
  return await work(progress);
}

/** @param gone aborted when the connection has ended, so that reading stops */
function* inputs({ files, service, demo }: LoadArguments, gone: AbortSignal): Generator<Input> {
  if (demo !== null) {
    yield {
      name: `${demo.count} made-up updates`,
      members: async function* () {
        yield demoMember(demo);
      },
      share: ({ read }) => read / demo.count,
    };
  }
  for (const file of files) {
    const bytes = new ReadBytes(file, gone);
    yield {
      name: file === "-" ? "standard input" : file,
      members: (tally) =>
        members(bytes.chunks(), { service, onPassedOver: (name, reason) => tally.passedOver.push({ name, reason }) }),
      share: () => bytes.share,
    };
  }
}
