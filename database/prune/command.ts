import { parseArgs } from "node:util";
import { readArguments, UsageError } from "@routeql/database-access/command-line";
import { type CommandOutput, type OpenDatabase, withClient } from "@routeql/database-access/opened-database";
import { recordRun } from "@routeql/database-access/record-run";
import { prune, pruneAuditEvents, type PrunedDays } from "./prune.ts";

export const pruneHelp = `npm run prune -- [--keep-days N] [--keep-audit-days N] [--dry-run]

Deletes routing updates and audit events of old days. Hijack records and the updates that belong to a hijack stay.
Nothing is deleted without this command. docs/operate/backup.md describes a nightly run.

  --keep-days N        days of updates to keep, not counting today (UTC); 1 to 36500
  --keep-audit-days N  days of audit events to keep, counted in the same way
  --dry-run            only list what would be deleted
  --stack NAME         the stack to work on (local)
  --help               this text

A whole old month is deleted as one partition, which frees its disk space. In the month of the first day to keep, rows of older
days are deleted one by one; Postgres uses their space for later updates of that month. The command waits for a running load or
detection. Updates of months that have not begun are deleted too.

Exit codes: 0 success, 2 wrong arguments.
`;

interface Arguments {
  /** Undefined keeps everything; so does the next. */
  readonly keepDays: number | undefined;
  readonly keepAuditDays: number | undefined;
  readonly dryRun: boolean;
}

function parseArguments(args: readonly string[]): Arguments | undefined {
  const text = { type: "string" } as const;
  const flag = { type: "boolean" } as const;
  const { values } = parseArgs({
    args: [...args],
    options: { "keep-days": text, "keep-audit-days": text, "dry-run": flag, help: flag },
  });
  if (values.help === true) return undefined;
  const given = (["keep-days", "keep-audit-days"] as const).filter((name) => values[name] !== undefined);
  if (given.length === 0) throw new UsageError("give --keep-days or --keep-audit-days: the number of days to keep");
  const wrong = given.find((name) => !isDays(String(values[name])));
  if (wrong !== undefined) throw new UsageError(`--${wrong} must be a whole number from 1 to 36500`);
  const days = (value: string | undefined): number | undefined => (value === undefined ? undefined : Number(value));
  return {
    keepDays: days(values["keep-days"]),
    keepAuditDays: days(values["keep-audit-days"]),
    dryRun: values["dry-run"] === true,
  };
}

const isDays = (text: string): boolean => /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 36_500;

export function firstKeptDay(keepDays: number, now: Date): string {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() - keepDays))
    .toISOString()
    .slice(0, 10);
}

const number = new Intl.NumberFormat("en-US");

function line({ first, last, removed, kept }: PrunedDays, dryRun: boolean): string {
  const stays = kept === 0 ? "" : `, kept ${number.format(kept)} that belong to hijacks`;
  return `${first === last ? first : `${first} to ${last}`}: ${number.format(removed)} updates ${dryRun ? "would be deleted" : "deleted"}${stays}`;
}

/** `npm run prune`. @param openDatabase connects as `routeql_owner`, once, after the arguments are validated @returns the exit code */
export async function pruneCommand(
  args: readonly string[],
  openDatabase: OpenDatabase,
  output: CommandOutput = process,
  now = new Date(),
): Promise<number> {
  const parsed = readArguments(pruneHelp, () => parseArguments(args), output);
  if (typeof parsed === "number") return parsed;
  const { keepDays, keepAuditDays, dryRun } = parsed;
  const total = (before: string, count: number, what: string): void => {
    const deleted = `${number.format(count)} ${what} ${dryRun ? "would be deleted" : "deleted"}`;
    output.stdout.write(`Before ${before}: ${count === 0 ? `no ${what} to delete` : deleted}\n`);
  };
  return withClient(openDatabase, "routeql-prune", async (client) => {
    const started = performance.now();
    // First, because nothing blocks it: a long backup blocks the deletion of updates.
    if (keepAuditDays !== undefined) {
      const before = firstKeptDay(keepAuditDays, now);
      total(before, await pruneAuditEvents(client, { before, dryRun }), "audit events");
    }
    if (keepDays !== undefined) {
      const before = firstKeptDay(keepDays, now);
      const pruned = await prune(client, {
        before,
        dryRun,
        onDays: (days) => output.stdout.write(`${line(days, dryRun)}\n`),
      });
      total(
        before,
        pruned.reduce((sum, { removed }) => sum + removed, 0),
        "updates",
      );
    }
    if (!dryRun) await recordRun(client, "prune", started, output);
    return 0;
  });
}
