import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BadCode, readCode } from "./native-queries.ts";

const text = (code: string) =>
  readCode(code)
    .map((piece) => (piece.kind === "text" ? piece.text : `<${piece.name}>`))
    .join("");

describe("the code of a native query", () => {
  test.each([
    ["SELECT {{a}} + {{ b }}", "SELECT <a> + < b >"],
    ["{{a}}", "<a>"],
    ["SELECT '{{a}}' -- {{b}}", "SELECT '<a>' -- <b>"],
    ["SELECT '{a}', '{', '}}'", "SELECT '{a}', '{', '}}'"],
    ["SELECT '{{{a}}}'", "SELECT '<{a>}'"],
    ["SELECT 1 ;; \n\t", "SELECT 1 "],
    ["SELECT 1; -- end", "SELECT 1; -- end"],
    ["", ""],
  ])("parses %s as %s", (code, expected) => {
    expect(text(code)).toBe(expected);
  });

  test.each(["SELECT {{a", "SELECT {{a}", "SELECT {{a} }", "SELECT {{a{{b}}", "SELECT {{a}} + {{"])(
    "%s has unclosed braces",
    (code) => {
      expect(() => readCode(code)).toThrow(BadCode);
    },
  );

  test.each([
    "SELECT $1",
    "SELECT a+$12::int",
    "SELECT '' || $1 || ''",
    "SELECT 'it''s', $2",
    'SELECT "$1", $3',
    "SELECT $$x$$, $4",
    "SELECT E'\\'', $5",
  ])("rejects %s because of a numbered parameter", (code) => {
    expect(() => readCode(code)).toThrow("is not an argument");
  });

  test.each([
    "SELECT '$1'",
    "SELECT a$1",
    "SELECT $a$ $1 $a$",
    "SELECT $$ $1 ' $$",
    "SELECT 1 -- $1",
    "SELECT /* $1 */ 1",
    'SELECT "$1"',
    "SELECT E'\\'$1'",
  ])("%s has none", (code) => {
    expect(() => readCode(code)).not.toThrow();
  });

  test("loses nothing but the end of any code", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("{", "}", "{{", "}}", "a", " ", "'", ";", "\n", "-- "), { maxLength: 12 }),
        (parts) => {
          const code = parts.join("");
          try {
            const again = readCode(code)
              .map((piece) => (piece.kind === "text" ? piece.text : `{{${piece.name}}}`))
              .join("");
            expect(code.startsWith(again)).toBe(true);
            expect(code.slice(again.length)).toMatch(/^[;\s]*$/);
          } catch (error) {
            expect(error).toBeInstanceOf(BadCode);
          }
        },
      ),
    );
  });
});
