/** Text of files that people write: one reader for all of them, so that editors and systems make no difference. */
import { isUtf8 } from "node:buffer";
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";

/** A file that is not text in UTF-8. The message continues a sentence that begins with the name of the file. */
export class UnreadableText extends Error {
  override readonly name = "UnreadableText";
  /** From 1; undefined for a problem of the whole file. */
  readonly line: number | undefined;

  constructor(message: string, line?: number) {
    super(message);
    this.line = line;
  }
}

/** First bytes of other encodings (Unicode 16.0, 23.8). The mark of UTF-32 begins with that of UTF-16. */
const otherMarks: readonly (readonly [encoding: string, mark: readonly number[]])[] = [
  ["UTF-32", [0xff, 0xfe, 0x00, 0x00]],
  ["UTF-32", [0x00, 0x00, 0xfe, 0xff]],
  ["UTF-16", [0xff, 0xfe]],
  ["UTF-16", [0xfe, 0xff]],
];

const lineEnd = /\r\n?/g;

/** The same text with line feeds as line ends, and without a byte order mark at its start. */
export const plainText = (text: string): string => text.replace(/^\uFEFF/, "").replaceAll(lineEnd, "\n");

/** Whether two texts differ at most in a byte order mark, in line ends and in the end of the last line. */
export const isSameText = (one: string, other: string): boolean =>
  plainText(one).replace(/\n+$/, "") === plainText(other).replace(/\n+$/, "");

const lineAt = (bytes: Buffer, offset: number): number =>
  plainText(bytes.subarray(0, offset).toString("latin1")).split("\n").length;

/** The start of the first line that is not UTF-8. A line feed is never a part of another character. */
function firstWrongLine(bytes: Buffer): number {
  for (let start = 0; ;) {
    const end = bytes.indexOf(0x0a, start);
    if (end === -1 || !isUtf8(bytes.subarray(start, end))) return start;
    start = end + 1;
  }
}

/** Decodes UTF-8 with or without a mark, and with any line ends. @throws UnreadableText */
export function decodeText(bytes: Buffer): string {
  const other = otherMarks.find(([, mark]) => mark.every((byte, index) => bytes[index] === byte));
  if (other !== undefined) throw new UnreadableText(`is ${other[0]}. Save it as UTF-8`);
  const zero = bytes.indexOf(0);
  if (zero !== -1) {
    const line = lineAt(bytes, zero);
    throw new UnreadableText(`has a zero byte in line ${line}, so it is UTF-16 or no text. Save it as UTF-8`, line);
  }
  if (!isUtf8(bytes)) {
    const line = lineAt(bytes, firstWrongLine(bytes));
    throw new UnreadableText(`is not UTF-8 in line ${line}. Save it as UTF-8`, line);
  }
  return plainText(bytes.toString("utf8"));
}

/** Reads a file that a person wrote. @throws UnreadableText, or the error of the file system */
export const readText = (path: string): string => decodeText(readFileSync(path));

/**
 * Reads a file of a folder that another person wrote. A pipe or a device in its place would wait or never end.
 * @throws UnreadableText, or the error of the file system
 */
export function readRegularText(path: string): string {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!fstatSync(file).isFile()) throw new UnreadableText("is not a regular file. Replace it with one");
    return decodeText(readFileSync(file));
  } finally {
    closeSync(file);
  }
}

/** Reads JSON. @throws UnreadableText, also for invalid JSON, or the error of the file system */
export function readJson(path: string): unknown {
  const text = readText(path);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UnreadableText(`is not JSON: ${(error as Error).message}`);
  }
}
