import { Lexer, Source, TokenKind } from "graphql";
import fc from "fast-check";
import { expect, test } from "vitest";
import { growth, linear } from "../testing/growth.ts";
import { scanDocument } from "./document-size.ts";

/** The tokens and nesting that graphql-js finds; undefined for a text that it rejects. */
function lexed(text: string): { tokens: number; depth: number } | undefined {
  const lexer = new Lexer(new Source(text));
  let [tokens, depth, deepest] = [0, 0, 0];
  try {
    for (let token = lexer.lookahead(); token.kind !== TokenKind.EOF; token = token.next ?? lexer.lookahead()) {
      if (token.kind !== TokenKind.COMMENT) tokens += 1;
      if (["{", "[", "("].includes(token.kind)) deepest = Math.max(deepest, ++depth);
      if (["}", "]", ")"].includes(token.kind)) depth -= 1;
      lexer.token = token;
    }
    return { tokens, depth: deepest };
  } catch {
    return undefined;
  }
}

const pieces = [
  "{",
  "}",
  "(",
  ")",
  "[",
  "]",
  '"',
  '"""',
  '\\"',
  '\\"""',
  "\\\\",
  "a",
  "name_1",
  "-1.5e+3",
  "0",
  "...",
  ":",
  "$",
  "@",
  "!",
  "=",
  "|",
  "&",
  " ",
  ",",
  "\n",
  "\uFEFF",
  "é",
];

test("finds the same tokens and nesting as the lexer of graphql-js", () => {
  let read = 0;
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 12 }), (parts) => {
      const text = parts.join("");
      const expected = lexed(text);
      fc.pre(expected !== undefined);
      read += 1;
      expect(scanDocument(text)).toMatchObject(expected);
    }),
    { numRuns: 5_000 },
  );
  expect(read).toBeGreaterThan(1_000);
});

test("counts comments as tokens and ignores their brackets", () => {
  expect(scanDocument("# {{{\n{ a } # }")).toEqual({ tokens: 5, depth: 1, longestWord: 1 });
});

test("measures the longest name or number", () => {
  expect(scanDocument('{ alias: a(b: -1.5e+30, c: "a long string") }').longestWord).toBe(8);
});

test("stops at the first token over the limit", () => {
  expect(scanDocument("a ".repeat(1_000), 10).tokens).toBe(11);
});

test.each<[string, (size: number) => string]>([
  ["an unterminated string of escaped quotes", (size) => `"${'\\"'.repeat(size / 2)}`],
  ["an unterminated string of backslashes", (size) => `"${"\\".repeat(size)}`],
  ["unterminated block strings", (size) => '"""\\'.repeat(size / 4)],
  ["quotes", (size) => '"'.repeat(size)],
  ["opened strings on many lines", (size) => '"a\n'.repeat(size / 3)],
  ["open brackets", (size) => "{".repeat(size)],
  ["comments", (size) => "#\n".repeat(size / 2)],
  ["one long name", (size) => "a".repeat(size)],
  ["digits and dots", (size) => "1.".repeat(size / 2)],
])("takes linear time for %s", (_title, text) => {
  expect(growth(text, (input) => void scanDocument(input))).toBeLessThan(linear);
});
