/** Reads the environment file: `NAME=value`, comments and blank lines. Unlike usual readers it reports other lines. */
import { plainText } from "@routeql/contract/written-text";

export interface EnvironmentEntry {
  readonly name: string;
  readonly value: string;
  /** Line number in the file, from 1. */
  readonly line: number;
}

export interface BadLine {
  /** From 1. */
  readonly line: number;
  /** End of a sentence that begins with the line. It never repeats the text, which may contain a secret. */
  readonly problem: string;
}

export interface EnvironmentFile {
  readonly entries: readonly EnvironmentEntry[];
  readonly badLines: readonly BadLine[];
}

const assignment = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=(.*)$/;
/** The last line of a key or a certificate; an error would print it as a name. */
const endOfBase64 = /^(?=(?:.{4})+$)(?=.*[a-z])[A-Za-z0-9]+={1,2}$/;
const quoted = /^(["'`])(.*)\1\s*(?:#.*)?$/;

const unended =
  "has a quote that does not end with the value on the same line; put the whole value into one pair of \", ' or `, which the value does not have";
/** Texts after `=` that are no value without quotes, or that tools read in different ways. */
const refused: readonly (readonly [pattern: RegExp, problem: string])[] = [
  [/^\s*["'`]/, unended],
  [/^\s*[\u2018-\u201f\u00ab\u00bb]/, "begins with a typographic quote; write \" or '"],
  [/^#/, "has # right after =, which begins a comment in some tools; put the value into quotes, or a space before #"],
];
/** Other tools replace it, also in double quotes. */
const reference = /\$\{[A-Za-z_]\w*(?::?[-+?][^}]*)?\}/;
const referring =
  "refers to a variable by ${NAME}, and values are not replaced here; write the value itself, or put it into single quotes";

type Reading = { readonly value: string } | { readonly problem: string };

/** Keeps a quoted value unchanged. An unquoted value ends before ` #` and is trimmed. */
function readValue(raw: string): Reading {
  const trimmed = raw.trim();
  const [, quote, inQuotes] = quoted.exec(trimmed) ?? [];
  if (quote !== undefined && inQuotes !== undefined) {
    if (inQuotes.includes(quote)) return { problem: unended };
    return quote === '"' && reference.test(inQuotes) ? { problem: referring } : { value: inQuotes };
  }
  const problem = refused.find(([pattern]) => pattern.test(raw))?.[1];
  if (problem !== undefined) return { problem };
  const value = trimmed.replace(/(^|\s)#.*$/, "").trim();
  return reference.test(value) ? { problem: referring } : { value };
}

/** The lines of a value that its quote continues: a line of a key, such as `c2VjcmV0==`, looks like an assignment, whose name an error would print. */
function continuedLines(lines: readonly string[], first: number, raw: string): number {
  const [, quote] = /^\s*(["'`])/.exec(raw) ?? [];
  if (quote === undefined || raw.indexOf(quote) !== raw.lastIndexOf(quote)) return 0;
  const end = lines.findIndex((line, index) => index > first && line.includes(quote));
  return end === -1 ? 0 : end - first;
}

/** Reads an environment file. Repeated names are kept, because the caller reports them. */
export function parseEnvironmentFile(content: string): EnvironmentFile {
  const entries: EnvironmentEntry[] = [];
  const badLines: BadLine[] = [];
  const lines = plainText(content).split("\n");
  let continued = 0;
  for (const [index, text] of lines.entries()) {
    if (continued > 0) {
      continued -= 1;
      continue;
    }
    if (/^\s*(#|$)/.test(text)) continue;
    const line = index + 1;
    const [, name = "", raw] = assignment.exec(text) ?? [];
    const isAssignment = raw !== undefined && !endOfBase64.test(text);
    const reading = isAssignment ? readValue(raw) : { problem: "is neither NAME=value nor a comment" };
    if ("problem" in reading) badLines.push({ line, problem: reading.problem });
    else entries.push({ name, value: reading.value, line });
    if ("problem" in reading) continued = continuedLines(lines, index, raw ?? "");
  }
  return { entries, badLines };
}
