/** Reads the path attributes of an announcement (RFC 4271 section 4.3), with the error handling of RFC 7606. */
import type { AsPath } from "./as-path.ts";
import { type Nlri, type NlriEncoding, readNlri } from "./nlri.ts";

/** Encoding of a message or a record of a routing table. */
export interface Encoding extends NlriEncoding {
  /** Octets of an AS number: 2 without the capability of RFC 6793. */
  readonly asSize: 2 | 4;
  /** An entry of a routing table, whose MP_REACH_NLRI has only the next hop (RFC 6396 section 4.3.4). */
  readonly table?: boolean;
}

export interface PathAttributes {
  /** The path, after the merge with AS4_PATH; undefined without AS_PATH. */
  path: AsPath | undefined;
  /** Whether the path has confederation segments (RFC 5065). */
  confederation: boolean;
  /** Whether ORIGIN and NEXT_HOP are present, which announcements of an UPDATE need (RFC 7606 section 3 (d)). */
  hasOrigin: boolean;
  hasNextHop: boolean;
  /** JSON text of a list of communities (RFC 1997), then large communities (RFC 8092), each a list of numbers. */
  communities: string;
  announced: Nlri[];
  withdrawn: Nlri[];
  /** An address family other than IPv4 and IPv6: its prefixes are not read. */
  otherFamily: boolean;
  /** The prefixes of an attribute end inside one. */
  brokenPrefix: boolean;
  /** An attribute is malformed: the announced prefixes count as withdrawn (RFC 7606 section 2, "treat-as-withdraw"). */
  malformed: boolean;
}

const attribute = {
  origin: 1,
  asPath: 2,
  nextHop: 3,
  communities: 8,
  mpReach: 14,
  mpUnreach: 15,
  as4Path: 17,
  as4Aggregator: 18,
  aggregator: 7,
  largeCommunities: 32,
} as const;
const extendedLength = 0x10;
/** AS number of a router without the capability of RFC 6793 in place of a larger one. */
const asTrans = 23_456;

/** The bytes from `from` up to but without `to`. @returns undefined if the prefixes cannot be found (RFC 7606 sections 3 and 5.3) */
export function readPathAttributes(
  bytes: Buffer,
  from: number,
  to: number,
  encoding: Encoding,
): PathAttributes | undefined {
  const read: PathAttributes = {
    path: undefined,
    confederation: false,
    hasOrigin: false,
    hasNextHop: false,
    communities: "[]",
    announced: [],
    withdrawn: [],
    otherFamily: false,
    brokenPrefix: false,
    malformed: false,
  };
  const seen = new Set<number>();
  const communities: string[] = [];
  let asPath: Segments | undefined;
  let as4Path: Segments | undefined;
  let ignoresAs4Path = encoding.asSize === 4;
  let aggregator: number | undefined;
  for (let at = from; at < to;) {
    const long = ((bytes[at] as number) & extendedLength) !== 0;
    const header = long ? 4 : 3;
    const length = at + header > to ? undefined : long ? bytes.readUInt16BE(at + 2) : (bytes[at + 2] as number);
    if (length === undefined || at + header + length > to) {
      // The rest cannot be read; MP_REACH_NLRI, which must be first, was read before (RFC 7606 section 4).
      read.malformed = true;
      break;
    }
    const kind = bytes[at + 1] as number;
    const start = at + header;
    const end = start + length;
    at = end;
    if (seen.has(kind)) {
      // Section 3 (g): a second MP_REACH_NLRI or MP_UNREACH_NLRI ends a session; of others the first counts.
      if (kind === attribute.mpReach || kind === attribute.mpUnreach) return undefined;
      continue;
    }
    seen.add(kind);
    switch (kind) {
      case attribute.origin:
        if (length !== 1 || (bytes[start] as number) > 2) read.malformed = true;
        break;
      case attribute.nextHop:
        if (length !== 4) read.malformed = true;
        break;
      case attribute.asPath:
        asPath = readSegments(bytes, start, end, encoding.asSize);
        if (asPath === undefined) read.malformed = true;
        break;
      case attribute.as4Path:
        // A malformed one is ignored (RFC 6793 section 6).
        as4Path = readSegments(bytes, start, end, 4);
        break;
      case attribute.aggregator:
        aggregator = length === 6 ? bytes.readUInt16BE(start) : undefined;
        break;
      case attribute.as4Aggregator:
        if (aggregator !== undefined && aggregator !== asTrans) ignoresAs4Path = true;
        break;
      case attribute.communities:
        if (length === 0 || length % 4 !== 0) read.malformed = true;
        else
          for (let part = start; part < end; part += 4)
            communities.push(`[${bytes.readUInt16BE(part)},${bytes.readUInt16BE(part + 2)}]`);
        break;
      case attribute.largeCommunities:
        if (length === 0 || length % 12 !== 0) read.malformed = true;
        else communities.push(...largeCommunities(bytes, start, end));
        break;
      case attribute.mpReach:
        if (encoding.table !== true && !readReachable(bytes, start, end, encoding, read)) return undefined;
        break;
      case attribute.mpUnreach:
        if (!readUnreachable(bytes, start, end, encoding, read)) return undefined;
        break;
      default:
    }
  }
  read.hasOrigin = seen.has(attribute.origin);
  read.hasNextHop = seen.has(attribute.nextHop);
  if (communities.length > 0) read.communities = `[${communities.join(",")}]`;
  if (asPath !== undefined) {
    const merged = ignoresAs4Path || as4Path === undefined ? asPath : mergeAs4Path(asPath, as4Path);
    read.confederation = merged.some(({ kind }) => kind >= confederationSequence);
    read.path = merged.flatMap(({ kind, numbers }): AsPath => (kind === asSet ? [numbers] : numbers));
  }
  return read;
}

/** Each once (RFC 8092 section 5). */
function* largeCommunities(bytes: Buffer, start: number, end: number): Generator<string> {
  const seen = new Set<string>();
  for (let at = start; at < end; at += 12) {
    const text = `[${bytes.readUInt32BE(at)},${bytes.readUInt32BE(at + 4)},${bytes.readUInt32BE(at + 8)}]`;
    if (!seen.has(text)) yield text;
    seen.add(text);
  }
}

const asSet = 1;
const asSequence = 2;
const confederationSequence = 3;
const confederationSet = 4;

interface Segment {
  readonly kind: number;
  readonly numbers: readonly number[];
}
type Segments = readonly Segment[];

/** @returns undefined for an unknown kind, an empty segment or an overrun (RFC 7606 section 7.2) */
function readSegments(bytes: Buffer, start: number, end: number, asSize: 2 | 4): Segments | undefined {
  const segments: Segment[] = [];
  for (let at = start; at < end;) {
    if (at + 2 > end) return undefined;
    const kind = bytes[at] as number;
    const count = bytes[at + 1] as number;
    at += 2;
    if (kind < asSet || kind > confederationSet || count === 0 || at + count * asSize > end) return undefined;
    const numbers: number[] = [];
    for (let index = 0; index < count; index += 1, at += asSize)
      numbers.push(asSize === 4 ? bytes.readUInt32BE(at) : bytes.readUInt16BE(at));
    segments.push({ kind, numbers });
  }
  return segments;
}

/** Length of a path for the choice of routes: a set counts once (RFC 4271 section 9.1.2.2), a confederation not (RFC 5065 section 5.3). */
const lengthOf = (segments: Segments): number =>
  segments.reduce((sum, { kind, numbers }) => sum + (kind === asSequence ? numbers.length : kind === asSet ? 1 : 0), 0);

/** The leading numbers of AS_PATH that AS4_PATH lacks, then AS4_PATH; a longer AS4_PATH is ignored (RFC 6793 section 4.2.3). */
function mergeAs4Path(asPath: Segments, as4Path: Segments): Segments {
  const known = as4Path.filter(({ kind }) => kind <= asSequence);
  let missing = lengthOf(asPath) - lengthOf(known);
  if (missing < 0) return asPath;
  const leading: Segment[] = [];
  for (const { kind, numbers } of asPath) {
    if (kind >= confederationSequence) leading.push({ kind, numbers });
    else if (missing === 0) break;
    else if (kind === asSet) {
      leading.push({ kind, numbers });
      missing -= 1;
    } else {
      leading.push({ kind, numbers: numbers.slice(0, missing) });
      missing -= Math.min(missing, numbers.length);
    }
  }
  return [...leading, ...known];
}

/** Unicast and multicast (RFC 4760 section 6), which bgpdump prints alike. */
const routed = new Set([1, 2]);

/** MP_REACH_NLRI (RFC 4760 section 3), whose prefixes follow the next hop. @returns whether they could be found */
function readReachable(bytes: Buffer, start: number, end: number, encoding: Encoding, read: PathAttributes): boolean {
  if (start + 5 > end) return false;
  const from = start + 5 + (bytes[start + 3] as number);
  return readRoutes(bytes, start, [from, end], encoding, read, read.announced);
}

/** MP_UNREACH_NLRI (RFC 4760 section 4). @returns whether its prefixes could be found */
const readUnreachable = (
  bytes: Buffer,
  start: number,
  end: number,
  encoding: Encoding,
  read: PathAttributes,
): boolean => readRoutes(bytes, start, [start + 3, end], encoding, read, read.withdrawn);

/** Appends the prefixes of the family at `start` to `found`. */
function readRoutes(
  bytes: Buffer,
  start: number,
  [from, end]: readonly [from: number, end: number],
  encoding: Encoding,
  read: PathAttributes,
  found: Nlri[],
): boolean {
  if (from > end) return false;
  const family = bytes.readUInt16BE(start);
  if ((family !== 1 && family !== 2) || !routed.has(bytes[start + 2] as number)) read.otherFamily = true;
  else if (!readNlri(bytes, from, end, family, encoding, found)) read.brokenPrefix = true;
  return true;
}
