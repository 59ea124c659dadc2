import { pipeline, type Writable } from "node:stream";
import { extract } from "tar-stream";
import { bgpdumpRecords } from "../formats/bgpdump.ts";
import type { ByteSource, Records } from "../formats/records.ts";
import { BrokenInput } from "../formats/refusal.ts";
import { NotRipestat, ripestatRecords } from "../formats/ripestat.ts";
import { gunzip, peek, withoutMark } from "./byte-source.ts";

type Format = "gzip" | "tar" | "bgpdump" | "json" | "unknown";

/** Bytes that {@link detectFormat} reads; enough for a few broken lines before the first valid one. */
const DETECTION_BYTES = 65_536;

const compressions: readonly (readonly [name: string, magic: Buffer, command: string])[] = [
  ["bzip2", Buffer.from("BZh"), "bzcat"],
  ["xz", Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]), "xzcat"],
  ["Zstandard", Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), "zstdcat"],
];

/** MRT types at the start of a file of routes or updates (RFC 6396 section 4, RFC 8050). */
const mrtTypes = new Set([11, 12, 13, 16, 17, 32, 33, 48, 49]);

/** The byte order mark of UTF-8, as Latin-1. */
const markOfUtf8 = /^\xef\xbb\xbf/;

/** Detects the format of an input from its first bytes. @throws BrokenInput for a known but unsupported format, with a remedy */
export function detectFormat(head: Buffer): Format {
  if (head.length === 0) throw new BrokenInput("it is empty");
  if (head[0] === 0x1f && head[1] === 0x8b) return "gzip";
  if (head.length >= 262 && head.toString("latin1", 257, 262) === "ustar") return "tar";
  for (const [name, magic, command] of compressions) {
    if (head.subarray(0, magic.length).equals(magic))
      throw new BrokenInput(`it is compressed with ${name}; use: ${command} FILE | npm run load -- -`);
  }
  if (/^(?:\xff\xfe|\xfe\xff)/.test(head.toString("latin1", 0, 2)))
    throw new BrokenInput("it is UTF-16; save it as UTF-8");
  const text = head.toString("latin1").replace(markOfUtf8, "");
  if (/^(?:BGP4MP(?:_ET)?|TABLE_DUMP2?)\|/m.test(text)) return "bgpdump";
  if (/^\s*[[{]/.test(text)) return "json";
  if (head.length >= 12 && mrtTypes.has(head.readUInt16BE(4)) && head.readUInt16BE(6) <= 12) {
    throw new BrokenInput("it is raw MRT; convert it first: bgpdump -m FILE | npm run load -- -");
  }
  return "unknown";
}

/** One file of routing data: the input itself, or a member of a tar. */
export interface Member {
  /** Name inside the tar; null for an input that is not a tar. */
  readonly name: string | null;
  /** Null if it was not read from a file. */
  readonly format: "bgpdump" | "RIPEstat" | null;
  readonly records: Records;
}

export interface MemberOptions {
  /** `source|collector` for formats that do not contain it. */
  readonly service: string;
  /** Called for each member of a tar without updates, with the reason why it is skipped. */
  readonly onPassedOver: (name: string, reason: string) => void;
}

/** Unpacks an input by its bytes: plain, gzip, tar. Read each member before you request the next. @throws BrokenInput */
export async function* members(source: ByteSource, options: MemberOptions): AsyncGenerator<Member> {
  const { format, bytes } = await unwrap(source);
  if (format !== "tar") {
    yield { name: null, ...read(format, bytes, options) };
    return;
  }
  let found = 0;
  for await (const { name, content } of tarMembers(bytes)) {
    const member = await readMember(name, content, options);
    if (member === undefined) continue;
    found += 1;
    yield member;
  }
  if (found === 0) throw new BrokenInput("the tar holds no updates");
}

async function unwrap(source: ByteSource): Promise<{ format: ReturnType<typeof detectFormat>; bytes: ByteSource }> {
  const outer = await peek(source, DETECTION_BYTES);
  const format = detectFormat(outer.head);
  if (format !== "gzip") return { format, bytes: outer.whole };
  const inner = await peek(gunzip(outer.whole), DETECTION_BYTES);
  const innerFormat = detectFormat(inner.head);
  if (innerFormat === "gzip") throw new BrokenInput("it is gzip inside gzip");
  return { format: innerFormat, bytes: inner.whole };
}

function read(format: string, given: ByteSource, { service }: MemberOptions): Pick<Member, "format" | "records"> {
  const bytes = withoutMark(given);
  if (format === "bgpdump") return { format: "bgpdump", records: bgpdumpRecords(bytes, service) };
  if (format === "json") return { format: "RIPEstat", records: ripestatRecords(bytes) };
  throw new BrokenInput("it is neither bgpdump -m text nor RIPEstat bgp-updates JSON, nor gzip or a tar of them");
}

async function readMember(name: string, content: ByteSource, options: MemberOptions): Promise<Member | undefined> {
  let format: string;
  let bytes: ByteSource;
  try {
    ({ format, bytes } = await unwrap(content));
  } catch (error) {
    if (!(error instanceof BrokenInput) || /gzip stream/.test(error.message)) throw named(name, error);
    options.onPassedOver(name, error.message);
    return undefined;
  }
  if (format === "tar" || format === "unknown") {
    options.onPassedOver(
      name,
      format === "tar" ? "it is a tar inside a tar" : "it is neither bgpdump -m text nor JSON",
    );
    await drain(bytes);
    return undefined;
  }
  const member = read(format, bytes, options);
  return { name, format: member.format, records: guarded(name, member.records, options) };
}

/** Adds the member to an error; JSON without updates is skipped instead. */
async function* guarded(name: string, records: Records, { onPassedOver }: MemberOptions): Records {
  try {
    yield* records;
  } catch (error) {
    if (!(error instanceof NotRipestat)) throw named(name, error);
    onPassedOver(name, error.message);
  }
}

function named(name: string, error: unknown): unknown {
  return error instanceof BrokenInput ? new BrokenInput(`${name}: ${error.message}`, { cause: error }) : error;
}

async function* tarMembers(source: ByteSource): AsyncGenerator<{ name: string; content: ByteSource }> {
  const tar = extract();
  // streamx streams have everything that pipeline needs, but their types differ
  pipeline(source, tar as unknown as Writable, () => {});
  try {
    for await (const entry of tar) {
      if (entry.header.type === "file")
        yield { name: entry.header.name, content: tarContent(entry as unknown as ByteSource) };
      else entry.resume();
    }
  } catch (error) {
    throw brokenTar(error);
  }
}

async function* tarContent(entry: ByteSource): ByteSource {
  try {
    yield* entry;
  } catch (error) {
    throw brokenTar(error);
  }
}

function brokenTar(error: unknown): unknown {
  const broken = error instanceof Error && !(error instanceof BrokenInput) && /tar|end of data/i.test(error.message);
  return broken ? new BrokenInput(`the tar is broken: ${error.message}`, { cause: error }) : error;
}

async function drain(source: ByteSource): Promise<void> {
  for await (const chunk of source) void chunk;
}
