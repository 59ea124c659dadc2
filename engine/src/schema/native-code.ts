/** Invalid code of a native query. */
export class BadCode extends Error {}

/** A piece of a native query's code: SQL, or the name of an argument. */
export type CodePiece = { readonly kind: "text"; readonly text: string } | { readonly kind: "argument"; readonly name: string };

/**
 * Literals, quoted names and comments, in which `$1` is plain text, or a numbered parameter. Nested comments are not fully recognised, so a
 * number in one may be rejected.
 */
const token = /[Ee]'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$([A-Za-z_]\w*)?\$.*?\$\1\$|--[^\n]*|\/\*.*?\*\/|(?<parameter>(?<![\w$])\$\d+)/gs;

/**
 * Splits a native query's code at every `{{argument}}`, as Hasura does; trailing white space and semicolons are dropped.
 * @throws BadCode
 */
export function readCode(code: string): readonly CodePiece[] {
  const [first = "", ...rest] = code.replace(/\s+$/, "").replace(/;+$/, "").split("{{");
  const pieces: CodePiece[] = [{ kind: "text", text: first }];
  for (const part of rest) {
    const end = part.indexOf("}}");
    if (end === -1 || part.indexOf("}") !== end) throw new BadCode("{{ has no closing }}");
    pieces.push({ kind: "argument", name: part.slice(0, end) }, { kind: "text", text: part.slice(end + 2) });
  }
  // Numbered parameters belong to the statement: the code would read other values than its arguments.
  for (const { groups } of code.matchAll(token)) {
    if (groups?.["parameter"] !== undefined) throw new BadCode(`${groups["parameter"]} is not an argument; write arguments as {{name}}`);
  }
  return pieces.filter((piece) => piece.kind === "argument" || piece.text !== "");
}
