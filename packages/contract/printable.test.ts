import { expect, test } from "vitest";
import { printable, printableLines } from "./printable.ts";

test.each([
  ["a\u001b[31mred\u001b]0;title\u0007", String.raw`a\u{1b}[31mred\u{1b}]0;title\u{7}`],
  ["one\r\ntwo\ttabs", String.raw`one\u{d}\u{a}two` + "\ttabs"],
  ["C1 \u009b2J, delete \u007f", String.raw`C1 \u{9b}2J, delete \u{7f}`],
  ["file\u202egnp.exe", String.raw`file\u{202e}gnp.exe`],
  ["Zürich 東京 🙂", "Zürich 東京 🙂"],
])("escapes %j", (text, expected) => expect(printable(text)).toBe(expected));

test("limits the length, and keeps the lines of longer texts", () => {
  expect(printable("abcdef", 3)).toBe("abc…");
  expect(printableLines("a\n\tb\u001b[0m\r\n")).toBe(String.raw`a` + "\n\t" + String.raw`b\u{1b}[0m\u{d}` + "\n");
});
