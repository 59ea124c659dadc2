import { parseArgs } from "node:util";
import type { CommandOutput, OpenDatabase } from "../shared/opened-database.ts";
import { withClient } from "../shared/with-client.ts";
import { pruneAuditEvents } from "./audit-events.ts";
import { prune, type PrunedDays } from "./prune.ts";

export const pruneHelp = `npm run prune -- [--keep-days N] [--keep-audit-days N] [--dry-run]

Takes away the routing updates of days that are over, but for those that belong to a hijack, whose records stay too; and the audit events of
such days. Nothing is taken away unless this is run; docs/operate/backup.md tells how to run it every night.

  --keep-days N        days of updates to keep, today (UTC) not counted; 1 to 36500
  --keep-audit-days N  days of audit events to keep, likewise
  --dry-run            only list what would be deleted
  --stack NAME         the stack to work on (local)
  --help               this text

Months that are over go at once, with their space on the disk; of the month with the first day that is kept the older days go row by row, and
their space is for later updates of that month. A load or detection is waited for. Partitions of days, from earlier versions, become months.

Ends with 0, or with 2 when the command was not understood.
`;

interface Arguments {
  /** Undefined keeps everything; so does the next. */
  readonly keepDays: number | undefined;
  readonly keepAuditDays: number | undefined;
  readonly dryRun: boolean;
}

function parseArguments(args: readonly string[]): Arguments | "help" | { readonly problem: string } {
  try {
    const text = { type: "string" } as const;
    const flag = { type: "boolean" } as const;
    const { values } = parseArgs({ args: [...args], options: { "keep-days": text, "keep-audit-days": text, "dry-run": flag, help: flag } });
    if (values.help === true) return "help";
    const given = (["keep-days", "keep-audit-days"] as const).filter((name) => values[name] !== undefined);
    if (given.length === 0) return { problem: "--keep-days is missing, or --keep-audit-days: how many days are kept" };
    const wrong = given.find((name) => !isDays(String(values[name])));
    if (wrong !== undefined) return { problem: `--${wrong} takes a whole number from 1 to 36500` };
    const days = (value: string | undefined): number | undefined => (value === undefined ? undefined : Number(value));
    return { keepDays: days(values["keep-days"]), keepAuditDays: days(values["keep-audit-days"]), dryRun: values["dry-run"] === true };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

const isDays = (text: string): boolean => /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 36_500;

/** The first day that is kept. */
export function firstKeptDay(keepDays: number, now: Date): string {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() - keepDays)).toISOString().slice(0, 10);
}

const number = new Intl.NumberFormat("en-US");

function line({ first, last, removed, kept }: PrunedDays, dryRun: boolean): string {
  const stays = kept === 0 ? "" : `, ${number.format(kept)} of hijacks stay`;
  return `${first === last ? first : `${first} to ${last}`}: ${number.format(removed)} updates ${dryRun ? "would go" : "gone"}${stays}`;
}

/**
 * `npm run prune`.
 * @param openDatabase connects to the database as `routeql_owner`; called once, after the arguments are validated.
 * @returns the exit code: 0, or 2 for invalid arguments.
 * @throws errors of the database or of the connection.
 */
export async function pruneCommand(
  args: readonly string[],
  openDatabase: OpenDatabase,
  output: CommandOutput = process,
  now = new Date(),
): Promise<number> {
  const parsed = parseArguments(args);
  if (parsed === "help") {
    output.stdout.write(pruneHelp);
    return 0;
  }
  if ("problem" in parsed) {
    output.stderr.write(`${parsed.problem}\n\n${pruneHelp}`);
    return 2;
  }
  const { keepDays, keepAuditDays, dryRun } = parsed;
  const total = (before: string, count: number, what: string): void => {
    const gone = `${number.format(count)} ${what} ${dryRun ? "would go" : "gone"}`;
    output.stdout.write(`Before ${before}: ${count === 0 ? `no ${what} to take away` : gone}\n`);
  };
  return withClient(openDatabase, "routeql-prune", async (client) => {
    // First, because nothing blocks it: a long backup blocks the deletion of updates.
    if (keepAuditDays !== undefined) {
      const before = firstKeptDay(keepAuditDays, now);
      total(before, await pruneAuditEvents(client, { before, dryRun }), "audit events");
    }
    if (keepDays !== undefined) {
      const before = firstKeptDay(keepDays, now);
      const pruned = await prune(client, { before, dryRun, onDays: (days) => output.stdout.write(`${line(days, dryRun)}\n`) });
      total(before, pruned.reduce((sum, { removed }) => sum + removed, 0), "updates");
    }
    return 0;
  });
}
