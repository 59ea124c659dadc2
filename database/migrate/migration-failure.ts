import type { DatabaseError } from "pg";
import { remedies } from "./unsuited-statements.ts";

/** Forms that other tools accept in SQL files, by the text where Postgres stops, and what to do instead. */
const foreign: readonly (readonly [pattern: RegExp, remedy: string])[] = [
  [/^\\/, remedies.psql],
  [/^:['"]?\w/, "It is a variable of psql. Write its value"],
];
/** In the lines before the error: Postgres reads the rows as statements. */
const copiedRows = /^\s*copy\s[^;]*\sfrom\s+stdin\b[^;]*;\s*$/im;

/** Errors of statements that no migration can run, by code and message. */
const unsuited: readonly (readonly [code: string, message: RegExp, remedy: string])[] = [
  ["0A000", /transaction commands/, remedies.transaction],
  ["0A000", /COPY to\/from client/, remedies.copy],
  ["25001", /CONCURRENTLY/, remedies.concurrently],
  ["25001", /^(?:VACUUM|CLUSTER)/, remedies.maintenance],
  ["25001", /./, remedies.outside],
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
      ? remedies.rows
      : foreign.find(([pattern]) => pattern.test(rest))?.[1];
  return withRemedy(`${error.message} (line ${before.split("\n").length})`, remedy);
}

/** After `set client_encoding` the text of an error arrives in that encoding: other characters than ASCII differ, also in number. */
const isSameInAscii = (one: string, other: string): boolean => inAscii(one) === inAscii(other);
const inAscii = (text: string): string => text.replaceAll(/\P{ASCII}+/gu, "?");

const withRemedy = (message: string, remedy: string | undefined): string =>
  remedy === undefined ? message : `${message}. ${remedy}`;
