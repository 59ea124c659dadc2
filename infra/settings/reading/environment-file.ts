/** Reads the environment file: `NAME=value`, comments and blank lines. Unlike usual readers it reports other lines. */
import { plainText } from "@routeql/contract/written-text";

export interface EnvironmentEntry {
  readonly name: string;
  readonly value: string;
  /** Line number in the file, from 1. */
  readonly line: number;
}

export interface EnvironmentFile {
  readonly entries: readonly EnvironmentEntry[];
  /** Numbers, from 1, of lines that cannot be parsed. Their text is not repeated: it may contain a secret. */
  readonly badLines: readonly number[];
}

const assignment = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=(.*)$/;
const quoted = /^(["'`])(.*)\1\s*(?:#.*)?$/;

/** Keeps a quoted value unchanged. An unquoted value ends before ` #` and is trimmed. */
function readValue(raw: string): string | undefined {
  const trimmed = raw.trim();
  const inQuotes = quoted.exec(trimmed);
  if (inQuotes?.[1] !== undefined && inQuotes[2] !== undefined) {
    return inQuotes[2].includes(inQuotes[1]) ? undefined : inQuotes[2];
  }
  if (/^["'`]/.test(trimmed)) return undefined;
  return trimmed.replace(/(^|\s)#.*$/, "").trim();
}

/** Reads an environment file. Repeated names are kept, because the caller reports them. */
export function parseEnvironmentFile(content: string): EnvironmentFile {
  const entries: EnvironmentEntry[] = [];
  const badLines: number[] = [];
  for (const [index, text] of plainText(content).split("\n").entries()) {
    if (/^\s*(#|$)/.test(text)) continue;
    const [, name, raw] = assignment.exec(text) ?? [];
    const value = raw === undefined ? undefined : readValue(raw);
    if (name === undefined || value === undefined) badLines.push(index + 1);
    else entries.push({ name, value, line: index + 1 });
  }
  return { entries, badLines };
}
