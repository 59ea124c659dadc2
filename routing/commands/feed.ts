import { printable, printableLines } from "@routeql/contract/printable";
import { readArguments, UsageError } from "@routeql/database-access/command-line";
import { type CommandOutput, type OpenDatabase, withClient } from "@routeql/database-access/opened-database";
import { unreadable } from "@routeql/database-access/unreadable";
import { parseArgs } from "node:util";
import type { Client } from "pg";
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
  const updates: NumberedUpdate[] = [];
  for (const file of await withFolders(parsed.files)) {
    const tally = new Tally();
    const before = updates.length;
    try {
      updates.push(...(await read(file, parsed.service, tally, mostReplayed - updates.length)));
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
  return withClient(openDatabase, "routeql-replay", async (client) => {
    const gone = new AbortController();
    client.once("end", () => gone.abort());
    const added = await play(client, updates, parsed.speed, gone.signal);
    output.stdout.write(`replayed  ${updates.length} updates\nrows      ${added} new\n`);
    return 0;
  });
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

/** @returns new rows */
async function play(
  client: Client,
  updates: readonly NumberedUpdate[],
  speed: number,
  signal: AbortSignal,
): Promise<number> {
  const writer = await LiveWriter.on(client, null);
  let room: () => void = () => {};
  const log = new LiveLog(bufferBytes, () => room());
  const write = async (): Promise<number> => {
    let added = 0;
    for (let entry = await log.head(signal); entry !== undefined; entry = await log.head(signal)) {
      added += await writer.write(entry, 0);
      log.removeHead();
    }
    return added;
  };
  const feed = async (): Promise<void> => {
    let ordinal = 0;
    for await (const batch of replay(updates, speed, signal)) {
      for (const { update, repetition } of batch) {
        const staged = stagedRows(update, (ordinal += 1), 0, repetition);
        if (!(staged instanceof Refusal)) log.addRows({ ...staged, timestamp: update.timestamp }, Date.now());
      }
      while (log.isFull && !signal.aborted) await new Promise<void>((resolve) => (room = resolve));
    }
    log.close();
  };
  const [added] = await Promise.all([write(), feed()]);
  return added;
}
