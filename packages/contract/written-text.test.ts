import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { decodeText, isSameText, readJson } from "./written-text.ts";

const folder = mkdtempSync(join(tmpdir(), "routeql-text-"));
afterAll(() => rmSync(folder, { recursive: true }));

const utf16 = (text: string) => Buffer.from(text, "utf16le");

test.each<readonly [string, Buffer]>([
  ["a mark", Buffer.from("\u{FEFF}one\ntwo\n")],
  ["line ends of Windows", Buffer.from("one\r\ntwo\r\n")],
  ["line ends of old systems", Buffer.from("one\rtwo\r")],
  ["mixed line ends and a mark", Buffer.from("\u{FEFF}one\r\ntwo\n")],
])("reads a file with %s as the same text", (_, bytes) => {
  expect(decodeText(bytes)).toBe("one\ntwo\n");
});

test("keeps every other character", () => {
  const text = "ä\u{1F600}\u{2028}\t\u{FEFF}x \n\n";
  expect(decodeText(Buffer.from(text))).toBe(text);
});

test.each<readonly [string, Buffer, string, number | undefined]>([
  ["UTF-16", Buffer.concat([Buffer.from([0xff, 0xfe]), utf16("a: 1")]), "is UTF-16. Save it as UTF-8", undefined],
  ["big-endian UTF-16", Buffer.from([0xfe, 0xff, 0, 0x61]), "is UTF-16. Save it as UTF-8", undefined],
  ["UTF-32", Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0]), "is UTF-32. Save it as UTF-8", undefined],
  ["UTF-16 without a mark", utf16("a"), "has a zero byte in line 1, so it is UTF-16 or no text", 1],
  ["Latin-1", Buffer.from("one\r\ntwo\r\nGr\u{F6}\u{DF}e\r\n", "latin1"), "is not UTF-8 in line 3", 3],
  ["a cut character", Buffer.from("one\n\u{20AC}").subarray(0, -1), "is not UTF-8 in line 2", 2],
  ["a surrogate", Buffer.from([0x0a, 0x0a, 0xed, 0xa0, 0x80]), "is not UTF-8 in line 3", 3],
])("refuses %s with its line", (_, bytes, message, line) => {
  expect(() => decodeText(bytes)).toThrow(expect.objectContaining({ message: expect.stringContaining(message), line }));
});

test("compares texts without marks, line ends and the end of the last line", () => {
  expect(isSameText("\u{FEFF}a\r\nb\r\n", "a\nb")).toBe(true);
  expect(isSameText("a\rb", "a\nb\n")).toBe(true);
  expect(isSameText("a\nb", "a\nc")).toBe(false);
  expect(isSameText("a\n b", "a\nb")).toBe(false);
  expect(isSameText("a\n\nb", "a\nb")).toBe(false);
});

test("reads JSON of a Windows editor, and names the reason for other text", () => {
  const file = join(folder, "data.json");
  writeFileSync(file, '\u{FEFF}{\r\n  "a": 1\r\n}\r\n');
  expect(readJson(file)).toEqual({ a: 1 });
  writeFileSync(file, "{a}");
  expect(() => readJson(file)).toThrow("is not JSON");
});
