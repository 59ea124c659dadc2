import type { DatabaseError } from "pg";

/** Forms that other tools accept in SQL files, by the text where Postgres stops, and what to do instead. */
const foreign: readonly (readonly [pattern: RegExp, remedy: string])[] = [
  [
    /^\\/,
    "It is a command of psql, not SQL. Remove the lines that begin with a backslash, such as those that pg_dump writes",
  ],
  [/^:['"]?\w/, "It is a variable of psql. Write its value"],
];
/** In the lines before the error: Postgres reads the rows as statements. */
const copiedRows = /^\s*copy\s[^;]*\sfrom\s+stdin\b[^;]*;\s*$/im;
const insertInstead = "write insert statements, as pg_dump --inserts does";

/** Errors of statements that no migration can run, by code and message. */
const unsuited: readonly (readonly [code: string, message: RegExp, remedy: string])[] = [
  ["0A000", /transaction commands/, "Remove begin, commit and rollback: each file is a transaction"],
  ["0A000", /COPY to\/from client/, `Remove copy … to stdout. In place of copy … from stdin: ${insertInstead}`],
  ["25001", /CONCURRENTLY/, "Remove concurrently: each file is a transaction"],
  ["25001", /^(?:VACUUM|CLUSTER)/, "Remove the statement, and run it with: npm run psql -- -c 'STATEMENT'"],
  ["25001", /./, "Remove the statement: each file is a transaction"],
];

/** The reason of a failed migration with its line, and a remedy where the file has a form that only other tools accept. */
export function migrationFailure(error: DatabaseError, content: string): string {
  const { internalPosition, internalQuery = "" } = error;
  if (internalPosition === undefined || !isSameInAscii(internalQuery, content)) {
    const remedy = unsuited.find(([code, message]) => code === error.code && message.test(error.message))?.[2];
    return withRemedy(error.message, remedy);
  }
  // Positions count characters, those of JavaScript UTF-16 units.
  const characters = Array.from(content);
  const at = Number(internalPosition) - 1;
  const before = characters.slice(0, at).join("");
  const rest = characters.slice(at).join("");
  // Rows first: they may begin like commands of psql, such as with \N.
  const remedy =
    error.code === "42601" && copiedRows.test(before)
      ? `Rows after copy … from stdin are not SQL: ${insertInstead}`
      : foreign.find(([pattern]) => pattern.test(rest))?.[1];
  return withRemedy(`${error.message} (line ${before.split("\n").length})`, remedy);
}

/** After `set client_encoding` the text of an error arrives in that encoding: other characters than ASCII differ, also in number. */
const isSameInAscii = (one: string, other: string): boolean => inAscii(one) === inAscii(other);
const inAscii = (text: string): string => text.replaceAll(/\P{ASCII}+/gu, "?");

const withRemedy = (message: string, remedy: string | undefined): string =>
  remedy === undefined ? message : `${message}. ${remedy}`;
