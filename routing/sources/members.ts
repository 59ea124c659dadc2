import { pipeline, type Writable } from "node:stream";
import { extract } from "tar-stream";
import { bgpdumpRecords, isBgpdump } from "../formats/bgpdump.ts";
import { isMrt, mrtUpdates } from "../formats/mrt.ts";
import type { ByteSource, Records } from "../formats/records.ts";
import { BrokenInput } from "../formats/refusal.ts";
import { NotRipestat, ripestatRecords } from "../formats/ripestat.ts";
import { bunzip2, gunzip, peek, withoutFirst } from "./byte-source.ts";

type Compression = "gzip" | "bzip2";
type Format = Compression | "tar" | "bgpdump" | "json" | "mrt" | "empty" | "unknown";

const unpack = { gzip: gunzip, bzip2: bunzip2 } as const;
const isCompression = (format: Format): format is Compression => format in unpack;

/** Bytes that {@link detectFormat} reads; enough for a few broken lines before the first valid one. */
const DETECTION_BYTES = 65_536;

const unsupported: readonly (readonly [name: string, magic: Buffer, command: string])[] = [
  ["xz", Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]), "xzcat"],
  ["Zstandard", Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), "zstdcat"],
  ["compress", Buffer.from([0x1f, 0x9d]), "uncompress -c"],
  ["lz4", Buffer.from([0x04, 0x22, 0x4d, 0x18]), "lz4cat"],
  ["zip", Buffer.from("PK\u0003\u0004"), "unzip -p"],
];

/** Detects the format of an input from its first bytes. @throws BrokenInput for a known but unsupported format, with a remedy */
export function detectFormat(head: Buffer): Format {
  if (head.length === 0) return "empty";
  if (head[0] === 0x1f && head[1] === 0x8b) return "gzip";
  // The signature, the block size and the first bytes of a block or of the end.
  if (
    /^BZh[1-9]/.test(head.toString("latin1", 0, 4)) &&
    /^(?:314159265359|177245385090)/.test(head.toString("hex", 4, 10))
  )
    return "bzip2";
  if (head.length >= 262 && head.toString("latin1", 257, 262) === "ustar") return "tar";
  // Before all others, which are shorter: a time of 2012 has the bytes of zip, one of 2018 begins with the byte of a bracket.
  if (isMrt(head)) return "mrt";
  for (const [name, magic, command] of unsupported) {
    if (head.subarray(0, magic.length).equals(magic))
      throw new BrokenInput(`it is compressed with ${name}; use: ${command} FILE | npm run load -- -`);
  }
  const text = head.toString("latin1");
  if (/^(?:\xff\xfe|\xfe\xff)/.test(text))
    throw new BrokenInput("it is text in UTF-16; use: iconv -f UTF-16 -t UTF-8 FILE | npm run load -- -");
  if (isBgpdump(text)) return "bgpdump";
  if (/^\s*<(?:!doctype|html|\?xml)/i.test(text))
    throw new BrokenInput(
      "it is a page of a web server, such as that of a missing file; check its address and download it again",
    );
  if (/^TIME: [^\n]*\n/m.test(text)) throw new BrokenInput("it is bgpdump text of several lines; use bgpdump -m");
  return /^\s*[[{]/.test(text) ? "json" : "unknown";
}

/** One file of routing data: the input itself, or a member of a tar. */
export interface Member {
  /** Name inside the tar; null for an input that is not a tar. */
  readonly name: string | null;
  /** Null if it was not read from a file. */
  readonly format: "bgpdump" | "MRT" | "RIPEstat" | null;
  readonly records: Records;
}

export interface MemberOptions {
  /** `source|collector` for formats that do not contain it. */
  readonly service: string;
  /** The routes of a routing table become announcements; otherwise a table is refused. */
  readonly asAnnouncements: boolean;
  /** Called for each member of a tar without updates, with the reason why it is skipped. */
  readonly onPassedOver: (name: string, reason: string) => void;
}

/** Unpacks an input by its bytes: plain, gzip, bzip2, tar. Read each member before you request the next. @throws BrokenInput */
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

async function unwrap(source: ByteSource): Promise<{ format: Format; bytes: ByteSource }> {
  const outer = await detected(source);
  if (!isCompression(outer.format)) return outer;
  const inner = await detected(unpack[outer.format](outer.bytes));
  if (isCompression(inner.format)) throw new BrokenInput(`it is ${inner.format} inside ${outer.format}`);
  return inner;
}

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

async function detected(source: ByteSource): Promise<{ format: Format; bytes: ByteSource }> {
  const { head, whole } = await peek(source, DETECTION_BYTES);
  if (!head.subarray(0, byteOrderMark.length).equals(byteOrderMark))
    return { format: detectFormat(head), bytes: whole };
  const bytes = withoutFirst(whole, byteOrderMark.length);
  return { format: detectFormat(head.subarray(byteOrderMark.length)), bytes };
}

function read(format: Format, bytes: ByteSource, options: MemberOptions): Pick<Member, "format" | "records"> {
  if (format === "bgpdump") return { format: "bgpdump", records: bgpdumpRecords(bytes, options.service) };
  if (format === "json") return { format: "RIPEstat", records: ripestatRecords(bytes) };
  if (format === "mrt") return { format: "MRT", records: mrtUpdates(bytes, options) };
  // A collector writes an empty file for minutes without updates.
  if (format === "empty") return { format: null, records: noRecords() };
  throw new BrokenInput(
    "it is neither MRT nor bgpdump -m text nor RIPEstat bgp-updates JSON, nor gzip, bzip2 or a tar of them",
  );
}

async function* noRecords(): Records {}

async function readMember(name: string, content: ByteSource, options: MemberOptions): Promise<Member | undefined> {
  let format: Format;
  let bytes: ByteSource;
  try {
    ({ format, bytes } = await unwrap(content));
  } catch (error) {
    if (!(error instanceof BrokenInput) || /(?:gzip|bzip2) stream/.test(error.message)) throw named(name, error);
    options.onPassedOver(name, error.message);
    return undefined;
  }
  if (format === "tar" || format === "unknown") {
    options.onPassedOver(
      name,
      format === "tar" ? "it is a tar inside a tar" : "it is neither MRT nor bgpdump -m text nor JSON",
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
  let reason: Error | undefined;
  // A member whose reading begins after the end of a broken tar does not know it.
  const broken = (error: unknown): unknown => brokenTar(reason ?? error);
  // streamx streams have everything that pipeline needs, but their types differ
  pipeline(source, tar as unknown as Writable, () => {});
  tar.once("error", (error: Error) => (reason = error));
  try {
    for await (const entry of tar) {
      if (entry.header.type === "file")
        yield { name: entry.header.name, content: tarContent(entry as unknown as ByteSource, broken) };
      else entry.resume();
    }
  } catch (error) {
    throw broken(error);
  }
}

async function* tarContent(entry: ByteSource, broken: (error: unknown) => unknown): ByteSource {
  try {
    yield* entry;
  } catch (error) {
    throw broken(error);
  }
}

function brokenTar(error: unknown): unknown {
  const broken = error instanceof Error && !(error instanceof BrokenInput) && /tar|end of data/i.test(error.message);
  return broken ? new BrokenInput(`the tar is broken: ${error.message}; download it again`, { cause: error }) : error;
}

async function drain(source: ByteSource): Promise<void> {
  for await (const chunk of source) void chunk;
}
