import { printable, printableLines } from "@routeql/contract/printable";
import { readArguments, UsageError } from "@routeql/database-access/command-line";
import { type CommandOutput, type OpenDatabase, withClient } from "@routeql/database-access/opened-database";
import { unreadable } from "@routeql/database-access/unreadable";
import { setTimeout as after } from "node:timers/promises";
import { parseArgs } from "node:util";
import { details } from "./load.ts";
import { serviceProblem } from "./load-arguments.ts";
import { Tally } from "../batches/load-input.ts";
import { LiveLog } from "../batches/live-log.ts";
import { LiveWriter } from "../batches/live-writer.ts";
import { stagedRows } from "../batches/publish.ts";
import { contentOf } from "../batches/repetitions.ts";
import { BrokenInput, Refusal } from "../formats/refusal.ts";
import { ReadBytes, withFolders } from "../sources/files.ts";
import { members } from "../sources/members.ts";
import { identifyPeers, mostReplayed, type NumberedUpdate, replay } from "../sources/replay.ts";

export type { OpenDatabase, OpenedDatabase } from "@routeql/database-access/opened-database";

export const feedHelp = `npm run feed -- --replay FILE… [options]

Replays recorded updates as if they arrived now: each FILE that npm run load reads, at the pace of its times. The rows keep their
own times, and are the ones that load would add. Live updates come from the service feed instead (setting FEED).

  --speed N                   seconds of the record in one second, 1 to 1000000 (default 1)
  --service SOURCE|COLLECTOR  source of MRT and bgpdump text, as for npm run load
  --stack NAME                the stack to work on (local)
  --help                      this text

Exit codes: 0 every FILE was replayed to its end, refused lines left out; 1 a FILE was broken or every line of it was refused, and
nothing was replayed; 2 wrong arguments.
`;

interface FeedArguments {
  readonly files: readonly string[];
  readonly speed: number;
  readonly service: string;
}

/** `npm run feed`. @param openDatabase connects as `routeql_loader`, once @returns 0, 1 for a broken input, 2 for invalid arguments */
export async function feedCommand(
  args: readonly string[],
  openDatabase: OpenDatabase,
  output: CommandOutput = process,
): Promise<number> {
  const parsed = readArguments(feedHelp, () => parseArguments(args), output);
  if (typeof parsed === "number") return parsed;
  let updates: readonly NumberedUpdate[] = [];
  for (const file of await withFolders(parsed.files)) {
    const tally = new Tally();
    const before = updates.length;
    try {
      updates = updates.concat(await read(file, parsed.service, tally, mostReplayed - updates.length));
    } catch (error) {
      const reason = error instanceof BrokenInput ? error.message : unreadable(error);
      if (reason === undefined) throw error;
      output.stderr.write(`${printable(file)}: nothing was replayed: ${printable(reason)}\n`);
      return 1;
    }
    const left = details(tally);
    if (tally.refused > 0) left.unshift(`  refused     ${tally.refused}`);
    if (left.length > 0) output.stderr.write(`${printableLines([file, ...left].join("\n"))}\n`);
    if (tally.refused > 0 && updates.length === before) {
      output.stderr.write(`${printable(file)}: nothing was replayed: every line was refused\n`);
      return 1;
    }
  }
  try {
    const added = await play(openDatabase, updates, parsed.speed, (sentence) => output.stderr.write(`${sentence}\n`));
    output.stdout.write(`replayed  ${updates.length} updates\nrows      ${added} new\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof DatabaseAway)) throw error;
    output.stderr.write(`${printable(error.message)}. Run the same command again: it adds what is missing.\n`);
    return 1;
  }
}

function parseArguments(args: readonly string[]): FeedArguments | undefined {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      replay: { type: "string", multiple: true },
      speed: { type: "string", default: "1" },
      service: { type: "string", default: "bgpdump|unknown" },
      help: { type: "boolean" },
    },
  });
  if (values.help) return undefined;
  const files = [...(values.replay ?? []), ...positionals];
  const speed = /^\d{1,7}$/.test(values.speed) ? Number(values.speed) : 0;
  const problems = [
    ...(values.replay === undefined ? ["there is no FILE to replay (--replay FILE)"] : []),
    ...(speed >= 1 && speed <= 1_000_000 ? [] : ["--speed takes a whole number from 1 to 1000000"]),
    ...serviceProblem(values.service),
  ];
  if (problems.length > 0) throw new UsageError(problems.join("\n"));
  return { files, speed, service: values.service };
}

async function read(file: string, service: string, tally: Tally, most: number): Promise<readonly NumberedUpdate[]> {
  const updates: NumberedUpdate[] = [];
  const bytes = new ReadBytes(file, new AbortController().signal);
  const options = {
    service,
    asAnnouncements: false,
    onPassedOver: (name: string, reason: string) => void tally.passedOver.push({ name, reason }),
  };
  for await (const member of members(bytes.chunks(), options)) {
    const seen = new Map<string, number>();
    for await (const batch of member.records)
      for (const record of batch) {
        const { parsed } = record;
        if ("skipped" in parsed) tally.skip(parsed.skipped);
        else if (parsed instanceof Refusal) tally.refuse(parsed, record, member.name);
        else {
          const content = contentOf(parsed);
          const repetition = seen.get(content) ?? 0;
          seen.set(content, repetition + 1);
          updates.push({ update: parsed, repetition });
          if (updates.length > most)
            throw new BrokenInput(`a replay holds at most ${mostReplayed} updates: replay fewer files at a time`);
        }
      }
  }
  return identifyPeers(updates);
}

/** Memory of rows that the database has not stored yet. */
const bufferBytes = 33_554_432;

/** Milliseconds between two attempts to connect, and those for which a replay waits for a database that is away. */
const [retry, patience] = [1_000, 120_000];

class DatabaseAway extends Error {}

/** Like the feed, it waits for a database that restarts. @returns new rows @throws {DatabaseAway} */
async function play(
  openDatabase: OpenDatabase,
  updates: readonly NumberedUpdate[],
  speed: number,
  report: (sentence: string) => void,
): Promise<number> {
  let room: () => void = () => {};
  const log = new LiveLog(bufferBytes, () => room());
  const failed = new AbortController();
  failed.signal.addEventListener("abort", () => room());
  const feed = async (): Promise<void> => {
    let ordinal = 0;
    for await (const batch of replay(updates, speed, failed.signal)) {
      for (const { update, repetition } of batch) {
        const staged = stagedRows(update, (ordinal += 1), 0, repetition);
        if (!(staged instanceof Refusal)) log.addRows({ ...staged, timestamp: update.timestamp }, Date.now());
      }
      while (log.isFull && !failed.signal.aborted) await new Promise<void>((resolve) => (room = resolve));
    }
    log.close();
  };
  const stored = store(openDatabase, log, report).catch((error: unknown) => {
    failed.abort();
    throw error;
  });
  const [added] = await Promise.all([stored, feed()]);
  return added;
}

/** Stores the log until it is closed and empty. @returns new rows @throws {DatabaseAway} */
async function store(openDatabase: OpenDatabase, log: LiveLog, report: (sentence: string) => void): Promise<number> {
  let added = 0;
  let isConnected = false;
  let failures = 0;
  for (let awaySince = Infinity; ;) {
    try {
      await withClient(openDatabase, "routeql-replay", async (client) => {
        const gone = new AbortController();
        client.once("end", () => gone.abort(new Error("the database ended the connection")));
        const writer = await LiveWriter.on(client, null);
        if (failures > 1) report("the database answers again, and the replay continues");
        [isConnected, failures, awaySince] = [true, 0, Infinity];
        for (let entry = await log.head(gone.signal); entry !== undefined; entry = await log.head(gone.signal)) {
          added += await writer.write(entry, 0);
          log.removeHead();
        }
        if (!log.isEnded) gone.signal.throwIfAborted();
      });
      return added;
    } catch (error) {
      const { code, name } = error as { readonly code?: unknown; readonly name?: unknown };
      // A database that was never there, Ctrl-C, and errors of the data: a second attempt changes nothing.
      if (!isConnected || name === "AbortError" || /^(?:22|23|42|54)...$/.test(String(code))) throw error;
      awaySince = Math.min(awaySince, Date.now());
      if (Date.now() - awaySince > patience)
        throw new DatabaseAway(`the database did not answer for ${patience / 60_000} minutes`, { cause: error });
      // After Ctrl-C the first attempt fails too, and ends the command.
      if ((failures += 1) === 2) report("the database does not answer; the replay waits for it");
      await after(retry);
    }
  }
}
