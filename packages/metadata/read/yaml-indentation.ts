/** yaml.v3 needs no indentation within quotes and within brackets; the parser does. */
import { type Document, LineCounter, parseAllDocuments, type YAMLError } from "yaml";

type Options = Omit<NonNullable<Parameters<typeof parseAllDocuments>[1]>, "lineCounter">;

export interface ParsedText {
  readonly documents: readonly Document[];
  readonly lines: LineCounter;
  /** The text of the positions: some lines can begin further right. */
  readonly text: string;
}

function parsed(text: string, options: Options): ParsedText {
  const lines = new LineCounter();
  return { documents: parseAllDocuments(text, { ...options, lineCounter: lines }) as readonly Document[], lines, text };
}

/** The first line, from 0, that begins too far left for the parser, and the character that ends its text or list. */
function tooFarLeft(
  { message, linePos, pos }: YAMLError,
  text: string,
): { readonly line: number; readonly end: string } | undefined {
  const at = linePos?.[0].line ?? 1;
  const quote = /^Missing closing (["'])quote/.exec(message)?.[1];
  // The parser ends a text with the line before.
  if (quote !== undefined) return { line: at, end: quote };
  const bracket = /^Flow (?:map|sequence) in block collection must be sufficiently indented and end with a (.)/.exec(
    message,
  )?.[1];
  // Within a line, the bracket is missing.
  const beginsLine = /(?:^|\n)[ \t]*$/.test(text.slice(0, pos[0]));
  return bracket === undefined || !beginsLine ? undefined : { line: at - 1, end: bracket };
}

/** Each attempt parses the text again. */
const mostAttempts = 20;
const longest = 1_000_000;

/** Parses as yaml.v3 does: lines within quotes and brackets may begin further left than the key. */
export function parseIndented(text: string, options: Options): ParsedText {
  const first = parsed(text, options);
  let last = first;
  for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
    const [error] = last.documents.flatMap(({ errors }) => errors);
    if (error === undefined) return last;
    const found = tooFarLeft(error, last.text);
    if (found === undefined || text.length > longest) return first;
    const all = last.text.split("\n");
    const end = all.findIndex((line, index) => index >= found.line && line.includes(found.end));
    const moved = all.slice(found.line, end + 1);
    // These lines begin and end a document, also within quotes.
    if (end === -1 || moved.some((line) => /^(?:---|\.\.\.)(?:\s|$)/.test(line))) return first;
    const indent = " ".repeat(Math.max(...all.map((line) => line.search(/\S|$/))) + 1);
    const lines = all.map((line, index) => (index >= found.line && index <= end ? indent + line.trimStart() : line));
    last = parsed(lines.join("\n"), options);
  }
  return first;
}
