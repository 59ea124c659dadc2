import { BrokenInput } from "./refusal.ts";

export type Format = "gzip" | "tar" | "bgpdump" | "json" | "unknown";

/** Bytes that {@link detectFormat} reads; enough for a few broken lines before the first valid one. */
export const DETECTION_BYTES = 65_536;

const compressions: readonly (readonly [name: string, magic: Buffer, command: string])[] = [
  ["bzip2", Buffer.from("BZh"), "bzcat"],
  ["xz", Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]), "xzcat"],
  ["Zstandard", Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), "zstdcat"],
];

/** MRT types at the start of a file of routes or updates (RFC 6396 section 4, RFC 8050). */
const mrtTypes = new Set([11, 12, 13, 16, 17, 32, 33, 48, 49]);

/**
 * Detects the format of an input from its first bytes; its name does not matter.
 * @throws BrokenInput for a known format that is not supported, with what to do.
 */
export function detectFormat(head: Buffer): Format {
  if (head.length === 0) throw new BrokenInput("it is empty");
  if (head[0] === 0x1f && head[1] === 0x8b) return "gzip";
  if (head.length >= 262 && head.toString("latin1", 257, 262) === "ustar") return "tar";
  for (const [name, magic, command] of compressions) {
    if (head.subarray(0, magic.length).equals(magic))
      throw new BrokenInput(`it is compressed with ${name}; use: ${command} FILE | npm run load -- -`);
  }
  const text = head.toString("latin1");
  if (/^(?:BGP4MP(?:_ET)?|TABLE_DUMP2?)\|/m.test(text)) return "bgpdump";
  if (/^\s*[[{]/.test(text)) return "json";
  if (head.length >= 12 && mrtTypes.has(head.readUInt16BE(4)) && head.readUInt16BE(6) <= 12) {
    throw new BrokenInput("it is raw MRT; convert it first: bgpdump -m FILE | npm run load -- -");
  }
  return "unknown";
}
