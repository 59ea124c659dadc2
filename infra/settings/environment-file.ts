/**
 * The environment file: lines `NAME=value`, comments, blank lines. Stricter than the usual readers, which skip what they do not
 * understand: here a line that is neither is a problem to report.
 * @module
 */

export interface EnvironmentEntry {
  readonly name: string;
  readonly value: string;
  /** Line in the file, from 1. */
  readonly line: number;
}

export interface EnvironmentFile {
  readonly entries: readonly EnvironmentEntry[];
  /** Lines, from 1, that are no assignment. Their text is not repeated: it may hold a secret. */
  readonly badLines: readonly number[];
}

const assignment = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=(.*)$/;
const quoted = /^(["'])(.*)\1\s*(?:#.*)?$/;

/** A value in quotes is taken as it is; without quotes it ends before ` #` and has no blanks at its ends. */
function readValue(raw: string): string | undefined {
  const trimmed = raw.trim();
  const inQuotes = quoted.exec(trimmed);
  if (inQuotes?.[1] !== undefined && inQuotes[2] !== undefined) {
    return inQuotes[2].includes(inQuotes[1]) ? undefined : inQuotes[2];
  }
  if (/^["']/.test(trimmed)) return undefined;
  return trimmed.replace(/(^|\s)#.*$/, "").trim();
}

/** Reads an environment file's text; a later line of the same name is a problem of its own, so both are given. */
export function parseEnvironmentFile(content: string): EnvironmentFile {
  const entries: EnvironmentEntry[] = [];
  const badLines: number[] = [];
  for (const [index, text] of content
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .entries()) {
    if (/^\s*(#|$)/.test(text)) continue;
    const [, name, raw] = assignment.exec(text) ?? [];
    const value = raw === undefined ? undefined : readValue(raw);
    if (name === undefined || value === undefined) badLines.push(index + 1);
    else entries.push({ name, value, line: index + 1 });
  }
  return { entries, badLines };
}
