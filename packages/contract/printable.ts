/** Control characters and marks of the direction of text: a terminal obeys them, and a reader of a log does not see them. */
const obeyed = /(?![\t\n])[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;

/** A foreign text for a terminal or a log, in which control characters are numbers. @example printableLines("a\u001b[2J") */
export function printableLines(text: string): string {
  return text.replaceAll(obeyed, (character) => `\\u{${character.charCodeAt(0).toString(16)}}`);
}

/** The same as one line. @param length the most characters; the rest becomes `…` */
export function printable(text: string, length = Infinity): string {
  const cut = text.length > length ? `${text.slice(0, length)}…` : text;
  return printableLines(cut).replaceAll("\n", String.raw`\u{a}`);
}
