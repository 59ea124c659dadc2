import { randomUUID } from "node:crypto";

const json = JSON as unknown as { rawJSON(text: string): unknown };

/** Doubles are exact up to this many digits. */
const exactLength = 15;
/** Every inexact number contains this. Most requests do not, and this is found fastest. */
const threeDigits = /\d{3}/;
/** Matches numbers this long or with a three-digit exponent; only these can be inexact. */
const doubtfulNumber = /[-+.\dEe]{16}|[Ee][-+]?\d{3}/g;
const numberCharacter = /[-+.\dEe]/;
const number = /-?\d[-+.\dEe]*/y;

/** Starts a string that replaces a number for a moment. No client knows it. */
const mark = randomUUID();

/**
 * `JSON.parse` for requests: a number that JavaScript cannot represent exactly keeps its text (`JSON.rawJSON`), and the engine passes that
 * text to Postgres. A reviver would do the same at ten times the cost of the parser, also for the values that are no numbers.
 * @throws SyntaxError
 */
export function parseExactJson(text: string): unknown {
  const parsed: unknown = JSON.parse(text);
  if (!threeDigits.test(text)) return parsed;
  const marked = withMarks(text);
  return marked === undefined ? parsed : withoutMarks(JSON.parse(marked));
}

/** Valid JSON with a string in place of each inexact number; undefined if there is none. */
function withMarks(text: string): string | undefined {
  let marked = "";
  let copied = 0;
  /** Start of the first string that ends after the match. */
  let quote = -1;
  let end = 0;
  doubtfulNumber.lastIndex = 0;
  for (let found = doubtfulNumber.exec(text); found !== null; found = doubtfulNumber.exec(text)) {
    while (end <= found.index) {
      quote = text.indexOf('"', end);
      end = quote === -1 ? Infinity : endOfString(text, quote);
    }
    if (quote !== -1 && quote < found.index) {
      doubtfulNumber.lastIndex = end;
      continue;
    }
    let start = found.index;
    while (start > 0 && numberCharacter.test(text.charAt(start - 1))) start -= 1;
    number.lastIndex = start;
    const source = number.exec(text)?.[0] ?? "";
    doubtfulNumber.lastIndex = start + source.length;
    if (!isInexact(Number(source), source)) continue;
    marked += `${text.slice(copied, start)}"${mark}${source}"`;
    copied = start + source.length;
  }
  return copied === 0 ? undefined : marked + text.slice(copied);
}

/** Position after the string that starts at a quote. */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); ; at = text.indexOf('"', at + 1)) {
    let backslashes = at;
    while (text.charAt(backslashes - 1) === "\\") backslashes -= 1;
    if ((at - backslashes) % 2 === 0) return at + 1;
  }
}

/** Replaces the marked strings. Iterative, because deep values would exhaust the stack. */
function withoutMarks(value: unknown): unknown {
  const root = { value };
  const parents: object[] = [root];
  for (const parent of parents) {
    const values = parent as Record<string, unknown>;
    for (const key of Object.keys(parent)) {
      const child = values[key];
      if (typeof child === "string" && child.startsWith(mark)) values[key] = json.rawJSON(child.slice(mark.length));
      else if (typeof child === "object" && child !== null) parents.push(child);
    }
  }
  return root.value;
}

function isInexact(value: number, source: string): boolean {
  return (
    !Number.isFinite(value) ||
    (source.length > exactLength && String(value) !== source) ||
    (value === 0 && /^[^Ee]*[1-9]/.test(source))
  );
}
