/** What is wrong with the code of a native query. */
export class BadCode extends Error {}

/** A piece of a native query's code: SQL, or the name of an argument that stands there. */
export type CodePiece = { readonly kind: "text"; readonly text: string } | { readonly kind: "argument"; readonly name: string };

/**
 * Literals, quoted names and comments, in which `$1` is text, or a parameter by its number. Not every comment within a comment is
 * seen through; a number in one would be refused.
 */
const token = /[Ee]'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$([A-Za-z_]\w*)?\$.*?\$\1\$|--[^\n]*|\/\*.*?\*\/|(?<parameter>(?<![\w$])\$\d+)/gs;

/**
 * Takes `{{argument}}` out of a native query's code, everywhere, as Hasura does; white space and semicolons at its end go.
 * @throws BadCode
 */
export function readCode(code: string): readonly CodePiece[] {
  const [first = "", ...rest] = code.replace(/\s+$/, "").replace(/;+$/, "").split("{{");
  const pieces: CodePiece[] = [{ kind: "text", text: first }];
  for (const part of rest) {
    const end = part.indexOf("}}");
    if (end === -1 || part.indexOf("}") !== end) throw new BadCode("there is {{ without a }} that ends it");
    pieces.push({ kind: "argument", name: part.slice(0, end) }, { kind: "text", text: part.slice(end + 2) });
  }
  // Numbers of parameters are the statement's own: the code would read other values than its arguments.
  for (const { groups } of code.matchAll(token)) {
    if (groups?.["parameter"] !== undefined) throw new BadCode(`${groups["parameter"]} is no argument; arguments are written {{name}}`);
  }
  return pieces.filter((piece) => piece.kind === "argument" || piece.text !== "");
}
