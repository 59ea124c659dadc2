// oxlint-disable-next-line no-control-regex -- the character that begins a style
const style = /(\u001b\[(?:1|2|22|31|32|33|36|39)m)/u;
/** Control characters except tabs and line ends, separators of lines, and marks that change the direction of text. */
const obeyed = /(?![\t\n])[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;

const escape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** A report in which names cannot move the cursor or hide text. The escapes are those of JSON, so that JSON keeps its values. */
export const terminalText = (text: string): string =>
  text
    .split(style)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll(obeyed, escape)))
    .join("");

/** A text without lines that GitHub's runner obeys as commands: a name may hold the end of a line. `##[` counts anywhere in a line. */
export const withoutCommands = (text: string): string =>
  text.replaceAll(/^([^\S\n\r\u2028\u2029]*):(?=:)/gm, "$1\\u003a").replaceAll("##[", "\\u0023#[");
