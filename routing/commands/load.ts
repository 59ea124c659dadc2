import { printable, printableLines } from "@routeql/contract/printable";
import type { Client } from "pg";
import { type LoadArguments, loadHelp, parseLoadArguments } from "./load-arguments.ts";
import { demoMember } from "../sources/demo.ts";
import { ReadBytes, withFolders } from "../sources/files.ts";
import { loadInput, type LoadReport, Tally, type TimeBounds, timeBounds } from "../batches/load-input.ts";
import { type Member, members } from "../sources/members.ts";
import { fillGap, gapProblem } from "../batches/fill-gap.ts";
import { Progress } from "../batches/progress.ts";
import { BrokenInput } from "../formats/refusal.ts";
import { readArguments } from "@routeql/database-access/command-line";
import { type CommandOutput, type OpenDatabase, withClient } from "@routeql/database-access/opened-database";
import { recordRun } from "@routeql/database-access/record-run";
import { unreadable } from "@routeql/database-access/unreadable";

const number = new Intl.NumberFormat("en-US");

/** Result of one input for the user; several lines without a final line end. */
function summarize(name: string, { tally, loaded, duplicates, seconds }: LoadReport): string {
  const formats = [...tally.formats].join(" and ");
  const rate = Math.round(tally.rows / Math.max(seconds, 0.001));
  return [
    `${name}${formats === "" ? "" : ` (${formats})`}`,
    `  read        ${count(tally.read)}: ${kinds(tally)}`,
    `  rows        ${count(tally.rows)} in ${seconds.toFixed(1)} s, ${number.format(rate)} a second`,
    `  loaded      ${count(loaded)}`,
    `  duplicates  ${count(duplicates)}`,
    `  refused     ${count(tally.refused)}`,
    ...details(tally),
  ].join("\n");
}

/** Rejections with examples, and skipped members of a tar. */
export function details(tally: Tally): string[] {
  const lines: string[] = [];
  for (const { reason, count, examples } of tally.refusals.values()) {
    lines.push(`    ${number.format(count)} × ${reason}`, ...examples.map((example) => `      ${example}`));
  }
  return [...lines, ...tally.passedOver.map(({ name, reason }) => `  passed over ${printable(name)}: ${reason}`)];
}

function kinds({ announcements, withdrawals, refused, skipped }: Tally): string {
  const parts = [`${number.format(announcements)} announcements`, `${number.format(withdrawals)} withdrawals`];
  for (const [kind, times] of skipped) parts.push(`${number.format(times)} ${kind} skipped`);
  if (refused > 0) parts.push(`${number.format(refused)} refused`);
  return parts.join(", ");
}

function count(value: number): string {
  return number.format(value).padStart(10);
}

export type { OpenDatabase, OpenedDatabase } from "@routeql/database-access/opened-database";

interface Input {
  readonly name: string;
  readonly members: (tally: Tally) => AsyncIterable<Member>;
  /** The share that was read, 0 to 1; undefined if the size is unknown. */
  readonly share: (tally: Tally) => number | undefined;
  /** Why the command fails although the input was read to its end. */
  readonly problem: (tally: Tally) => string | undefined;
}

/** An input without a single accepted record was not what the user meant to load. */
const allRefused = ({ read, refused }: Tally): string | undefined =>
  read > 0 && refused === read
    ? "nothing of it was loaded, because every record was refused; the reasons are listed above"
    : undefined;

/** `npm run load`. @param openDatabase connects as `routeql_loader`, once @returns 0, 1 for a broken input, 2 for invalid arguments */
export async function loadCommand(
  args: readonly string[],
  openDatabase: OpenDatabase,
  output: CommandOutput = process,
): Promise<number> {
  const parsed = readArguments(loadHelp, () => parseLoadArguments(args), output);
  if (typeof parsed === "number") return parsed;
  return withClient(openDatabase, "routeql-load", async (client) => {
    const started = performance.now();
    const impossible = parsed.gap === null ? undefined : await gapProblem(client, parsed.gap);
    if (impossible !== undefined) {
      output.stderr.write(`--fill-gap: ${impossible}\n`);
      return 2;
    }
    let broken = 0;
    const loaded: LoadReport[] = [];
    const gone = new AbortController();
    client.once("end", () => gone.abort());
    const bounds = timeBounds(parsed.maxAgeDays);
    for await (const input of inputs(parsed, gone.signal))
      if (!(await load(client, input, bounds, output, (report) => loaded.push(report)))) broken += 1;
    if (broken > 0) return 1;
    const remains = parsed.gap === null ? undefined : await fillGap(client, parsed.gap, ...summed(loaded));
    if (remains !== undefined) {
      output.stderr.write(`--fill-gap: ${remains}\n`);
      return 1;
    }
    await recordRun(client, "load", started, output);
    return 0;
  });
}

/** Times and new rows of all inputs. */
function summed(reports: readonly LoadReport[]): [span: TimeBounds | undefined, rows: number] {
  const all = new Tally();
  for (const { tally } of reports) {
    if (tally.span !== undefined) for (const time of Object.values(tally.span)) all.see(time);
  }
  return [all.span, reports.reduce((sum, { loaded }) => sum + loaded, 0)];
}

async function load(
  client: Client,
  input: Input,
  bounds: TimeBounds,
  { stdout, stderr }: CommandOutput,
  onLoaded: (report: LoadReport) => void,
): Promise<boolean> {
  const tally = new Tally();
  try {
    const report = await withProgress(stderr, input, (progress) =>
      loadInput(client, input.members(tally), {
        tally,
        bounds,
        share: () => input.share(tally),
        onProgress: (step) => progress.show(step),
      }),
    );
    onLoaded(report);
    stdout.write(`${printableLines(summarize(input.name, report))}\n`);
    const problem = input.problem(tally);
    if (problem !== undefined) stderr.write(`${printable(input.name)}: ${problem}\n`);
    return problem === undefined;
  } catch (error) {
    const reason = error instanceof BrokenInput ? error.message : unreadable(error);
    if (reason === undefined) throw error;
    const lines = [`${input.name}: nothing was loaded: ${reason}`, ...details(tally)];
    stderr.write(`${printableLines(lines.join("\n"))}\n`);
    return false;
  }
}

async function withProgress<T>(
  stream: CommandOutput["stderr"],
  { name }: Input,
  work: (progress: Progress) => Promise<T>,
): Promise<T> {
  using progress = new Progress(stream, printable(name));
  return await work(progress);
}

/** @param gone aborted when the connection has ended, so that reading stops */
async function* inputs(
  { files, service, asAnnouncements, demo }: LoadArguments,
  gone: AbortSignal,
): AsyncGenerator<Input> {
  if (demo !== null) {
    yield {
      name: `${demo.count} generated updates`,
      members: async function* () {
        yield demoMember(demo);
      },
      share: ({ read }) => read / demo.count,
      problem: () => undefined,
    };
  }
  for (const file of await withFolders(files)) {
    const bytes = new ReadBytes(file, gone);
    yield {
      name: file === "-" ? "standard input" : file,
      members: (tally) =>
        members(bytes.chunks(), {
          service,
          asAnnouncements,
          onPassedOver: (name, reason) => tally.passedOver.push({ name, reason }),
        }),
      share: () => bytes.share,
      problem: (tally) =>
        file === "-" && bytes.isEmpty ? "it was empty; did the command before it fail?" : allRefused(tally),
    };
  }
}
