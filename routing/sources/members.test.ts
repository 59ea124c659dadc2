import { gzipSync } from "node:zlib";
import { pack } from "tar-stream";
import { describe, expect, test } from "vitest";
import type { ByteSource } from "../formats/records.ts";
import { bgp4mp, prefix24, record, update } from "../testing/mrt-encoder.ts";
import { detectFormat, members } from "./members.ts";
import { Refusal } from "../formats/refusal.ts";

const text = "BGP4MP|1470931200|W|192.0.2.1|64496|198.51.100.0/24\nbroken\n";
const attrs = { source_id: "00-192.0.2.1", target_prefix: "198.51.100.0/24" };
const json = JSON.stringify({
  data: { updates: [{ timestamp: "2026-06-16T08:21:48", type: "W", attrs }], page_count: 1 },
});

async function tarOf(files: Record<string, string | Buffer>): Promise<Buffer> {
  const tar = pack();
  for (const [name, content] of Object.entries(files)) tar.entry({ name }, content);
  tar.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of tar) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

async function* source(bytes: Buffer, size = 1000): ByteSource {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** The records of an input as short texts. */
async function read(bytes: Buffer): Promise<string[]> {
  const seen: string[] = [];
  const onPassedOver = (name: string, reason: string): void => void seen.push(`${name} passed over: ${reason}`);
  for await (const member of members(source(bytes), {
    service: "example|north",
    asAnnouncements: false,
    onPassedOver,
  })) {
    for await (const batch of member.records) {
      for (const { position, parsed } of batch) {
        const what =
          parsed instanceof Refusal
            ? "refused"
            : "skipped" in parsed
              ? "skipped"
              : `${parsed.type} of ${parsed.service}`;
        seen.push(`${member.name ?? member.format} ${position}: ${what}`);
      }
    }
  }
  return seen;
}

describe("unpacks an input", () => {
  test.each([
    ["text", Buffer.from(text)],
    ["gzip of text", gzipSync(text)],
    ["text with a byte order mark", Buffer.from(`\u{FEFF}${text}`)],
    ["two gzip streams after one another", Buffer.concat([gzipSync(text.slice(0, 20)), gzipSync(text.slice(20))])],
  ])("%s", async (_, bytes) => {
    expect(await read(bytes)).toEqual(["bgpdump 1: W of example|north", "bgpdump 2: refused"]);
  });

  test.each([
    ["JSON", Buffer.from(json)],
    ["gzip of JSON", gzipSync(json)],
    ["JSON with a byte order mark", Buffer.from(`\u{FEFF}${json}`)],
    ["gzip of JSON with a byte order mark", gzipSync(`\u{FEFF}${json}`)],
  ])("%s", async (_, bytes) => {
    expect(await read(bytes)).toEqual(["RIPEstat 1: W of ripe-ris|rrc00"]);
  });

  test("reads a RIPEstat answer without updates", async () => {
    expect(await read(Buffer.from('{"data":{"updates":[]}}'))).toEqual([]);
  });

  test.each([
    ["a tar", (tar: Buffer) => tar],
    ["a tar in gzip", (tar: Buffer) => gzipSync(tar)],
  ])("%s of both, whose other members are passed over and named", async (_, wrap) => {
    const tar = await tarOf({
      "a.txt": text,
      "notes.json": "[1]",
      readme: "hello",
      "b.json.gz": gzipSync(json),
      empty: "",
    });
    expect(await read(wrap(tar))).toEqual([
      "a.txt 1: W of example|north",
      "a.txt 2: refused",
      "notes.json passed over: it is JSON, but no bgp-updates answer of RIPEstat",
      "readme passed over: it is neither MRT nor bgpdump -m text nor JSON",
      "b.json.gz 1: W of ripe-ris|rrc00",
    ]);
  });
});

/** Two lines, each compressed with bzip2 1.0.8. */
const bzip2 = [
  "QlpoOTFBWSZTWcXlB9UAABTegAAQAAH/4BCCQIAABCAAVFMmJkGRhU8aCYkMOysZ0WGwBQlZ54eii0zoXt4cEtIfvyf7ieXnVC7kinChIYvKD6o=",
  "QlpoOTFBWSZTWeI19DMAABTegAAQAAH/4BCCQIAABCAAVFMmJkGRhR6amTJojDLdQM2otCcwY7UNoYlH0Z4zsbXdBv5P+YjsvahdyRThQkOI19DM",
].map((text) => Buffer.from(text, "base64"));

test("unpacks bzip2, also two streams one after another", async () => {
  expect(await read(bzip2[0]!)).toEqual(["bgpdump 1: W of example|north"]);
  expect(await read(Buffer.concat(bzip2))).toEqual(["bgpdump 1: W of example|north", "bgpdump 2: W of example|north"]);
});

test("reads raw MRT, plain and compressed", async () => {
  const mrt = bgp4mp(update({ withdrawn: prefix24 }));
  expect(await read(mrt)).toEqual(["MRT 1: W of example|north"]);
  expect(await read(gzipSync(mrt))).toEqual(["MRT 1: W of example|north"]);
  expect(await read(await tarOf({ "updates.gz": gzipSync(mrt) }))).toEqual(["updates.gz 1: W of example|north"]);
});

test.each([
  ["nothing", Buffer.alloc(0)],
  ["gzip of nothing", gzipSync("")],
])("reads %s as a file without updates", async (_, bytes) => {
  expect(await read(bytes)).toEqual([]);
});

describe("rejects a broken input with a clear error", () => {
  const long = text.repeat(2000);

  test.each([
    [
      "a gzip stream that ends early",
      async () => gzipSync(long).subarray(0, 90),
      "early; download it again, or load what is there: zcat FILE | npm",
    ],
    ["a damaged gzip stream", async () => damaged(gzipSync(long)), "; download the file again"],
    [
      "a bzip2 stream that ends early",
      async () => bzip2[0]!.subarray(0, 60),
      "early; download it again, or load what is there: bzcat FILE | npm",
    ],
    ["a damaged bzip2 stream", async () => damagedAt(bzip2[0]!, 40), "; download the file again"],
    ["raw MRT that ends early", async () => bgp4mp(update({})).subarray(0, 50), "it ends inside record 1"],
    ["gzip inside gzip", async () => gzipSync(gzipSync(text)), "gzip inside gzip"],
    ["JSON that ends early", async () => Buffer.from(json.slice(0, -10)), "the JSON is broken after element 1"],
    ["JSON that is none", async () => Buffer.from('{"data": nothing}'), "the JSON is broken after element 0"],
    ["JSON with something after it", async () => Buffer.from(`${json} {}`), "the JSON is broken after element 1"],
    [
      "JSON with updates that are no list",
      async () => Buffer.from('{"data": {"updates": {"a": {}}}}'),
      "no bgp-updates answer",
    ],
    ["JSON of something else", async () => Buffer.from('{"data": {"updates": 1}}'), "no bgp-updates answer"],
    ["a page of a web server", async () => Buffer.from("<!DOCTYPE html>\n<title>404"), "it is a page of a web server"],
    [
      "bgpdump text of several lines",
      async () => Buffer.from("TIME: 04/01/15 00:00:01\nTYPE: BGP4MP/MESSAGE/Update\n"),
      "use bgpdump -m",
    ],
    ["other text", async () => Buffer.from("hello"), "neither MRT nor bgpdump -m text nor RIPEstat"],
    ["a tar that ends early", async () => (await tarOf({ "a.txt": long })).subarray(0, 5000), "; download it again"],
    [
      "a tar that ends inside its second member",
      async () => (await tarOf({ "a.txt": text.repeat(20), "b.txt": text.repeat(20) })).subarray(0, -1800),
      "the tar is broken: Unexpected end of data; download it again",
    ],
    [
      "a tar in a gzip stream that ends early",
      async () => gzipSync(await tarOf({ "a.txt": long })).subarray(0, 200),
      "the gzip stream ends early",
    ],
    ["a tar without updates", async () => tarOf({ readme: "hello" }), "the tar holds no updates"],
    [
      "a tar with a broken member",
      async () => tarOf({ "a.txt.gz": gzipSync(long).subarray(0, 90) }),
      "a.txt.gz: the gzip stream ends early",
    ],
    ["a tar with broken JSON", async () => tarOf({ "a.json": json.slice(0, -10) }), "a.json: the JSON is broken"],
  ])("%s", async (_, bytes, message) => {
    await expect(read(await bytes())).rejects.toThrow(message);
  });
});

const damagedAt = (bytes: Buffer, at: number): Buffer =>
  Buffer.concat([bytes.subarray(0, at), Buffer.from([0xff]), bytes.subarray(at + 1)]);

function damaged(bytes: Buffer): Buffer {
  bytes.fill(0xff, 60, 80);
  return bytes;
}

const tar = Buffer.alloc(512);
tar.write("ustar", 257);

test.each([
  ["gzip", Buffer.from([0x1f, 0x8b, 8, 0]), "gzip"],
  ["a tar", tar, "tar"],
  ["nothing at all", Buffer.alloc(0), "empty"],
  ["raw MRT", Buffer.from([0x45, 0xc5, 0x8f, 0x3c, 0, 16, 0, 1, 0, 0, 0, 50]), "mrt"],
  ["raw MRT of the time whose bytes are those of zip", record(16, 4, Buffer.alloc(50), 0x50_4b_03_04), "mrt"],
  ["bzip2", Buffer.from("BZh91AY&SY"), "bzip2"],
  ["bgpdump text with path identifiers", Buffer.from("BGP4MP_ET_LOCAL_AP|1|W|\n"), "bgpdump"],
  ["bgpdump text", Buffer.from("BGP4MP|1470931200|W|192.0.2.1|64496|198.51.100.0/24\n"), "bgpdump"],
  ["bgpdump text after a broken line", Buffer.from("garbage\nBGP4MP_ET|1|W|\n"), "bgpdump"],
  ["a JSON object", Buffer.from(' \n{"data":'), "json"],
  ["a JSON list", Buffer.from("[1]"), "json"],
  ["other text", Buffer.from("hello"), "unknown"],
])("detects %s by its bytes", (_, head, format) => {
  expect(detectFormat(head)).toBe(format);
});

test.each([
  ["UTF-16", Buffer.from("\ufeffBGP4MP|", "utf16le"), "iconv"],
  ["xz", Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]), "xzcat"],
  ["Zstandard", Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), "zstdcat"],
  ["compress", Buffer.from([0x1f, 0x9d, 0x90]), "uncompress -c"],
  ["lz4", Buffer.from([0x04, 0x22, 0x4d, 0x18]), "lz4cat"],
  ["zip", Buffer.from("PK\u0003\u0004"), "unzip -p"],
])("rejects %s with a remedy", (_, head, message) => {
  expect(() => detectFormat(head)).toThrow(message);
});
