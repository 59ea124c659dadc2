import { expect, test } from "vitest";
import { detectFormat } from "./format.ts";

const tar = Buffer.alloc(512);
tar.write("ustar", 257);

test.each([
  ["gzip", Buffer.from([0x1f, 0x8b, 8, 0]), "gzip"],
  ["a tar", tar, "tar"],
  ["bgpdump text", Buffer.from("BGP4MP|1470931200|W|192.0.2.1|64496|198.51.100.0/24\n"), "bgpdump"],
  ["bgpdump text after a broken line", Buffer.from("garbage\nBGP4MP_ET|1|W|\n"), "bgpdump"],
  ["a JSON object", Buffer.from(' \n{"data":'), "json"],
  ["a JSON list", Buffer.from("[1]"), "json"],
  ["other text", Buffer.from("hello"), "unknown"],
])("%s is told by its bytes", (_, head, format) => {
  expect(detectFormat(head)).toBe(format);
});

test.each([
  ["nothing at all", Buffer.alloc(0), "it is empty"],
  ["raw MRT", Buffer.from([0x45, 0xc5, 0x8f, 0x3c, 0, 16, 0, 1, 0, 0, 0, 50]), "bgpdump -m"],
  ["bzip2", Buffer.from("BZh91AY"), "bzcat"],
  ["xz", Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]), "xzcat"],
  ["Zstandard", Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), "zstdcat"],
])("%s is refused with what to do", (_, head, message) => {
  expect(() => detectFormat(head)).toThrow(message);
});
