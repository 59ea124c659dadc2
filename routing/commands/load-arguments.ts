import { parseArgs } from "node:util";
import { UsageError } from "@routeql/database-access/command-line";
import { defaultMaxAgeDays } from "../batches/load-input.ts";

export const loadHelp = `npm run load -- [options] FILE…

Loads routing updates into the running stack. A FILE is raw MRT as RIPE RIS and RouteViews publish it, bgpdump -m text or RIPEstat
bgp-updates JSON, plain, gzip or bzip2, a tar of such files or a folder; the format is recognized by content, not by name. - is
standard input. Loading a file twice changes nothing.
A FILE is read and validated as a whole first. Its rows are then written in chunks by time, each in one transaction. If the load is
interrupted, run the same command again: it continues and skips the rows that are already there.

  --service SOURCE|COLLECTOR  source of MRT and bgpdump text, at most 50 characters, such as 'ripe-ris|rrc03'
                              (default 'bgpdump|unknown')
  --as-announcements          loads each route of a routing table (RIB) as an announcement at the table's time; without it, a
                              routing table is refused
  --max-age-days N            refuses older updates; 1 to 7300 (default 7300, twenty years). Times more than a day ahead are
                              always refused
  --fill-gap GAP              records that the FILEs together fill this gap of a feed (view_feed_gaps)
  --demo N                    generates N updates instead, with documentation prefixes and AS numbers
  --seed N                    generates another set of updates (default 1)
  --start TIME                time of the first generated update (default 2026-01-01T00:00:00Z)
  --stack NAME                the stack to work on (local)
  --help                      this text

Exit codes: 0 every FILE was read to its end, refused lines included; 1 a FILE was broken (nothing of it is loaded; the other
files are) or every line of it was refused, or standard input was empty; 2 wrong arguments.
`;

export interface LoadArguments {
  readonly maxAgeDays: number;
  readonly files: readonly string[];
  readonly service: string;
  readonly asAnnouncements: boolean;
  /** Number of the gap that the files fill. */
  readonly gap: number | null;
  readonly demo: { readonly count: number; readonly seed: number; readonly start: number } | null;
}

/** Undefined for a request for help. @throws an error of parseArgs, or UsageError with all problems */
export function parseLoadArguments(args: readonly string[]): LoadArguments | undefined {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      service: { type: "string" },
      "max-age-days": { type: "string" },
      "as-announcements": { type: "boolean", default: false },
      "fill-gap": { type: "string" },
      demo: { type: "string" },
      seed: { type: "string" },
      start: { type: "string" },
      help: { type: "boolean" },
    },
  });
  if (values.help) return undefined;
  const problems: string[] = [];
  const service = values.service ?? "bgpdump|unknown";
  problems.push(...serviceProblem(service));
  const days = values["max-age-days"] ?? String(defaultMaxAgeDays);
  const maxAgeDays = /^\d{1,4}$/.test(days) ? Number(days) : 0;
  if (maxAgeDays < 1 || maxAgeDays > defaultMaxAgeDays)
    problems.push(`--max-age-days takes a whole number from 1 to ${defaultMaxAgeDays}`);
  const gap = wholeNumber(values["fill-gap"] ?? "1", 1, 4_294_967_295);
  if (gap === undefined) problems.push("--fill-gap takes the number of a gap");
  const demo = values.demo === undefined ? null : parseDemo({ ...values, demo: values.demo }, problems);
  if (demo === null && (values.seed !== undefined || values.start !== undefined))
    problems.push("--seed and --start belong to --demo");
  if (demo === null && positionals.length === 0) problems.push("there is no FILE to load");
  if (demo !== null && positionals.length > 0) problems.push("--demo takes no FILE");
  if (positionals.filter((file) => file === "-").length > 1) problems.push("standard input (-) can be read once only");
  if (problems.length > 0) throw new UsageError(problems.join("\n"));
  return {
    files: positionals,
    service,
    asAnnouncements: values["as-announcements"],
    gap: values["fill-gap"] === undefined ? null : (gap ?? null),
    demo,
    maxAgeDays,
  };
}

export const serviceProblem = (service: string): string[] =>
  /^[^|\s\\]+\|[^|\s\\]+$/.test(service) && service.length <= 50
    ? []
    : ["--service takes SOURCE|COLLECTOR without spaces, at most 50 characters"];

function parseDemo(
  values: { demo: string; seed?: string; start?: string },
  problems: string[],
): NonNullable<LoadArguments["demo"]> {
  const count = wholeNumber(values.demo, 1, 100_000_000);
  const seed = wholeNumber(values.seed ?? "1", 0, 4_294_967_295);
  const time = values.start ?? "2026-01-01T00:00:00Z";
  const start = /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d{1,3})?)?Z?$/.test(time)
    ? Date.parse(/T.*[^Z]$/.test(time) ? `${time}Z` : time)
    : Number.NaN;
  if (count === undefined) problems.push("--demo takes a number of updates from 1 to 100000000");
  if (seed === undefined) problems.push("--seed takes a whole number from 0 to 4294967295");
  if (!(start >= Date.UTC(1990) && start < Date.UTC(2090)))
    problems.push("--start takes a UTC time such as 2026-01-01T00:00:00Z");
  return { count: count ?? 0, seed: seed ?? 0, start };
}

function wholeNumber(text: string, least: number, most: number): number | undefined {
  const value = Number(text);
  return /^\d{1,10}$/.test(text) && value >= least && value <= most ? value : undefined;
}
