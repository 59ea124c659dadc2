/** Accounts and keys that a restore keeps: a backup must not enable disabled accounts, bring back changed passwords or publish retired keys. */
import { printable } from "@routeql/contract/printable";
import { guardOptions } from "@routeql/database/migrate/connect";
import { type OpenDatabase, withClient } from "@routeql/database-access/opened-database";
import type { Client } from "pg";
import { textBeside } from "@routeql/database-access/text-beside";

export const restoreFile = (name: string): string => textBeside(import.meta.url, `../../database/restore/${name}`);

/** Calls in one transaction, as the owner, with options that precede the settings of the database. */
const inTransaction = <T>(open: OpenDatabase, work: (client: Client) => Promise<T>): Promise<T> =>
  withClient(
    async () => {
      const opened = await open();
      return { ...opened, config: { ...opened.config, options: guardOptions } };
    },
    "routeql restore",
    async (client) => {
      await client.query("begin");
      const result = await work(client);
      await client.query("commit");
      return result;
    },
  );

/** The state of the database that a restore is about to replace, for `carryOverTo`. */
export const rememberState = (open: OpenDatabase): Promise<string | undefined> =>
  inTransaction(open, async (client) => {
    await client.query(restoreFile("remember.sql"));
    const { rows } = await client.query<{ state: string | null }>(
      "select current_setting('routeql.replaced', true) as state",
    );
    return rows[0]?.state ?? undefined;
  });

/** Applies that state to a restored database. @returns sentences about it */
export const carryOverTo = (open: OpenDatabase, state: string | undefined, keepKeys: boolean): Promise<string[]> =>
  inTransaction(open, async (client) => {
    await client.query("select set_config('routeql.replaced', $1, true), set_config('routeql.keep_keys', $2, true)", [
      state ?? "",
      String(keepKeys),
    ]);
    await client.query(restoreFile("carry-over.sql"));
    const { rows } = await client.query<Kept>("select kind, what from restore_report order by kind, what");
    return describeCarryOver(rows);
  });

const meanings: readonly (readonly [kind: string, meaning: string])[] = [
  ["disabled", "Kept disabled"],
  ["password", "Kept with the password that was set after the backup"],
  ["key", "Signing keys withdrawn, so their tokens end"],
  ["revived", "Came back with the password of the backup; check these accounts"],
  ["revived-directory", "Came back as accounts of the directory; check these accounts"],
  ["role", "Has the role of the backup again; check these accounts"],
  ["lost", "Not in the backup, so these accounts are gone"],
];

/** At most so many names of a kind. */
const shown = 10;

interface Kept {
  readonly kind: string;
  readonly what: string;
}

/** Rows of restore_report, from lines of a kind, a tab and a name. */
export const keptIn = (text: string): Kept[] =>
  text.split("\n").flatMap((line) => {
    const [kind = "", what] = line.split("\t");
    return what === undefined ? [] : [{ kind, what }];
  });

export function describeCarryOver(rows: readonly Kept[]): string[] {
  return meanings.flatMap(([kind, meaning]) => {
    // Names come from a file: a terminal must not interpret them.
    const names = rows.filter((row) => row.kind === kind).map(({ what }) => printable(what));
    if (names.length === 0) return [];
    const rest = names.length > shown ? ` and ${names.length - shown} more` : "";
    return [`${meaning}: ${names.slice(0, shown).join(", ")}${rest}.`];
  });
}
