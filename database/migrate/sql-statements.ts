/** Statements of an SQL file, split as psql does (psqlscan.l), without the contents of its texts and comments. */
export interface SqlStatement {
  /** Line of its first character, from 1. */
  readonly line: number;
  /** Upper case, with single spaces. Each text is `''`, each quoted name `""`. */
  readonly words: string;
}

/** A text, a quoted name or a comment that the file does not end. */
export interface UnendedText {
  readonly line: number;
  readonly begin: string;
}

/** The beginnings of tokens in which a semicolon ends nothing. The end of a nested comment is found by counting. */
const token =
  /--[^\n\r]*|\/\*|(?<![\w$\u{80}-\u{10FFFF}])[eE]'|'|"|(?<![\w$\u{80}-\u{10FFFF}])\$(?:[a-zA-Z_\u{80}-\u{10FFFF}][\w\u{80}-\u{10FFFF}]*)?\$|[;()]|\w[\w$]*/gu;

/** The ends of texts. A doubled quote is a new text directly behind the first one. */
const ends: Readonly<Record<string, RegExp>> = { "'": /'/g, '"': /"/g, E: /\\[^]|'/g };

/** Where the text ends that begins before a position; -1 without an end. */
function endOf(text: string, begin: string, from: number): number {
  if (begin === "/*") {
    const mark = /\/\*|\*\//g;
    mark.lastIndex = from;
    for (let depth = 1, found = mark.exec(text); found !== null; found = mark.exec(text)) {
      depth += found[0] === "/*" ? 1 : -1;
      if (depth === 0) return mark.lastIndex;
    }
    return -1;
  }
  if (begin.startsWith("$")) {
    const at = text.indexOf(begin, from);
    return at === -1 ? -1 : at + begin.length;
  }
  const end = new RegExp(ends[begin.length === 2 ? "E" : begin]!);
  end.lastIndex = from;
  for (let found = end.exec(text); found !== null; found = end.exec(text))
    if (found[0].length === 1) return end.lastIndex;
  return -1;
}

const beginning = (written: string): string => written.slice(0, 200).replaceAll(/\s+/g, " ").trimStart().toUpperCase();

const createsRoutine = /^CREATE (?:OR REPLACE )?(?:FUNCTION|PROCEDURE)\b/;

interface SqlFile {
  readonly statements: readonly SqlStatement[];
  readonly unended?: UnendedText;
}

export function sqlStatements(text: string): SqlFile {
  const statements: SqlStatement[] = [];
  const counted = { line: 1, position: 0 };
  const lineAt = (position: number): number => {
    for (
      let next = text.indexOf("\n", counted.position);
      next !== -1 && next < position;
      next = text.indexOf("\n", next + 1)
    ) {
      counted.line += 1;
      counted.position = next + 1;
    }
    return counted.line;
  };
  let [written, start, from, parentheses, blocks] = ["", -1, 0, 0, 0];
  const add = (part: string, at: number): void => {
    const first = part.search(/\S/);
    if (first === -1) return void (written += written === "" ? "" : " ");
    if (start === -1) start = at + first;
    written += part;
  };
  const finish = (): void => {
    if (start !== -1)
      statements.push({ line: lineAt(start), words: written.replaceAll(/\s+/g, " ").trim().toUpperCase() });
    [written, start, parentheses, blocks] = ["", -1, 0, 0];
  };
  token.lastIndex = 0;
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    const [begin] = found;
    add(text.slice(from, found.index), from);
    from = found.index + begin.length;
    if (begin.startsWith("--")) add(" ", found.index);
    else if (/^(?:\/\*|['"$]|[eE]')/.test(begin)) {
      const end = endOf(text, begin, from);
      if (end === -1) return { statements, unended: { line: lineAt(found.index), begin } };
      add(begin === "/*" ? " " : begin === '"' ? '""' : "''", found.index);
      from = end;
      token.lastIndex = end;
    } else if (begin === ";" && parentheses === 0 && blocks === 0) finish();
    else {
      if (begin === "(") parentheses += 1;
      if (begin === ")") parentheses = Math.max(0, parentheses - 1);
      const word = begin.toUpperCase();
      // The body of a function in SQL has statements of its own: BEGIN ATOMIC … END.
      if (parentheses === 0 && createsRoutine.test(beginning(written))) {
        if (word === "BEGIN" || (word === "CASE" && blocks > 0)) blocks += 1;
        if (word === "END" && blocks > 0) blocks -= 1;
      }
      add(begin, found.index);
    }
  }
  add(text.slice(from), from);
  finish();
  return { statements };
}
