/** Splits MRT files into records (RFC 6396 section 2) and reads the BGP messages in them (sections 4.4 and 4.5, RFC 8050). */
import { readBgpMessage, readUpdate, type UpdateMessage } from "./bgp-message.ts";
import { PathIdentifiers } from "./path-identifiers.ts";
import type { Encoding } from "./path-attributes.ts";
import type { ByteSource, InputRecord, Records } from "./records.ts";
import { BrokenInput, Refusal } from "./refusal.ts";
import { type RoutingTable, routingTable } from "./routing-table.ts";
import { type Skipped, timestampOfEpoch, type Update } from "./update.ts";

/** Types of RFC 6396 section 4 with an extended time (section 3), which has four more bytes. */
const mrtType = { bgp: 5, tableDump: 12, tableDumpV2: 13, bgp4mp: 16, bgp4mpExtendedTime: 17 } as const;
/** All types of RFC 6396, its deprecated ones included; another type means that the file is damaged. */
const knownTypes = new Set([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 16, 17, 32, 33, 48, 49]);

const headerBytes = 12;
/** A route of a table has an entry of some hundred bytes for each peer; no record of updates is larger than 128 KiB. */
const mostBytes = 16_777_216;

/** Whether the bytes begin with an MRT record of routes or updates. */
export const isMrt = (head: Buffer): boolean =>
  head.length >= headerBytes &&
  knownTypes.has(head.readUInt16BE(4)) &&
  (head.readUInt16BE(4) === mrtType.bgp || head.readUInt16BE(4) >= 11) &&
  head.readUInt16BE(6) <= 12 &&
  head.readUInt32BE(8) <= mostBytes;

/** One record; `position` counts from 1, `at` is its first byte in the file. */
interface MrtRecord {
  readonly position: number;
  readonly at: number;
  readonly seconds: number;
  readonly type: number;
  readonly subtype: number;
  readonly body: Buffer;
}

/** Archives have files that were never complete. @param at bytes of the records before */
const remedy = (at: number): string =>
  at === 0
    ? "download it again"
    : `download it again, or load the records before: head -c ${at} UNPACKED | npm run load -- -`;

/** @throws BrokenInput if the file ends inside a record or a header is no header of MRT */
async function* mrtRecords(source: ByteSource): AsyncGenerator<MrtRecord[]> {
  let pending: Buffer = Buffer.alloc(0);
  let position = 0;
  let at = 0;
  /** Fewer bytes hold no whole record, so that chunks of a large record are joined once. */
  let wanted = headerBytes;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of source) {
    chunks.push(chunk);
    size += chunk.length;
    if (size < wanted) continue;
    pending = chunks.length === 1 ? chunk : Buffer.concat(chunks);
    let from = 0;
    const batch: MrtRecord[] = [];
    wanted = headerBytes;
    while (from + headerBytes <= pending.length) {
      const type = pending.readUInt16BE(from + 4);
      const length = pending.readUInt32BE(from + 8);
      if (!knownTypes.has(type) || length > mostBytes) {
        // The records before it may name a better reason, such as a routing table.
        yield batch;
        throw new BrokenInput(
          `record ${position + 1} at byte ${at} has the type ${type} and ${length} bytes, which is no MRT: the file is damaged; ${remedy(at)}`,
        );
      }
      const end = from + headerBytes + length;
      if (end > pending.length) {
        wanted = end - from;
        break;
      }
      position += 1;
      batch.push({
        position,
        at,
        seconds: pending.readUInt32BE(from),
        type,
        subtype: pending.readUInt16BE(from + 6),
        body: pending.subarray(from + headerBytes, end),
      });
      at += end - from;
      from = end;
    }
    const rest = pending.subarray(from);
    chunks.length = 0;
    chunks.push(rest);
    size = rest.length;
    yield batch;
  }
  if (size > 0)
    throw new BrokenInput(
      `it ends inside record ${position + 1} at byte ${at}: the file is not complete; ${remedy(at)}`,
    );
}

export interface MrtOptions {
  /** `source|collector`, which MRT does not contain. */
  readonly service: string;
  /** The routes of a table become announcements at the time of the table; otherwise a table is refused. */
  readonly asAnnouncements: boolean;
}

const skipped = new Map<number, Skipped>();
/** Kinds of records that are no updates, one object each. */
function otherType(type: number): Skipped {
  const known = skipped.get(type) ?? { skipped: `MRT type ${type}` };
  skipped.set(type, known);
  return known;
}

/** The updates of an MRT file. @throws BrokenInput for a damaged file, and for a routing table without `asAnnouncements` */
export async function* mrtUpdates(source: ByteSource, { service, asAnnouncements }: MrtOptions): Records {
  const identifiers = new PathIdentifiers();
  let table: RoutingTable | undefined;
  for await (const records of mrtRecords(source)) {
    const batch: InputRecord[] = [];
    for (const record of records) {
      const text = (): string =>
        `MRT record of type ${record.type}, subtype ${record.subtype} at byte ${record.at}: ${record.body.toString("hex", 0, 64)}`;
      const add = (parsed: Update | Skipped | Refusal): void =>
        void batch.push({ position: record.position, text, parsed });
      if (record.type === mrtType.bgp4mp || record.type === mrtType.bgp4mpExtendedTime)
        readMessage(record, service, identifiers, add);
      else if (record.type === mrtType.bgp) readOldUpdate(record, service, identifiers, add);
      else if (record.type === mrtType.tableDump || record.type === mrtType.tableDumpV2) {
        if (!asAnnouncements || record.type === mrtType.tableDump) throw new BrokenInput(tableRemedy(record.type));
        table ??= routingTable(service);
        table.read(record, add);
      } else add(otherType(record.type));
    }
    yield batch;
  }
}

const oldTable = (name: string): string =>
  `it is a routing table of the old type ${name}, not updates; load a file of updates, or a table of the type TABLE_DUMP_V2 with --as-announcements`;
const tableRemedy = (type: number): string =>
  type === mrtType.tableDump
    ? oldTable("TABLE_DUMP")
    : "it is a routing table (RIB), not updates; load a file of updates, or add --as-announcements to load each route as an announcement at the table's time";

/** Subtypes of BGP4MP; a local message was sent by the collector itself (RFC 6396 section 4.4.4). */
const messages: Readonly<Record<number, Encoding & { readonly local: boolean }>> = {
  1: { asSize: 2, addPath: false, local: false },
  4: { asSize: 4, addPath: false, local: false },
  6: { asSize: 2, addPath: false, local: true },
  7: { asSize: 4, addPath: false, local: true },
  8: { asSize: 2, addPath: true, local: false },
  9: { asSize: 4, addPath: true, local: false },
  10: { asSize: 2, addPath: true, local: true },
  11: { asSize: 4, addPath: true, local: true },
};
const state: Skipped = { skipped: "STATE" };
/** Number of the state of a session that exchanges updates (RFC 6396 section 4.4.1). */
const established = 6;
/** Zebra wrote OPENs without an interface, family and addresses: the marker of the message stands there. */
const withoutAddresses = 0xffff;
const otherSubtype: Skipped = { skipped: "other BGP record" };
const onePath: Skipped = { skipped: "withdrawal of one of several paths" };

const refusals = {
  short: new Refusal("the MRT record is too short"),
  family: new Refusal("the address family of the peer is unknown"),
  time: new Refusal("the time is not understood"),
};

/** Reads a record of type BGP4MP or BGP4MP_ET. */
function readMessage(
  { type, subtype, seconds, body }: MrtRecord,
  service: string,
  identifiers: PathIdentifiers,
  add: (parsed: Update | Skipped | Refusal) => void,
): void {
  const start = type === mrtType.bgp4mpExtendedTime ? 4 : 0;
  if (subtype === 0 || subtype === 5) {
    forgetPaths(body, start, subtype === 0 ? 2 : 4, identifiers);
    return add(state);
  }
  // BGP4MP_ENTRY and BGP4MP_SNAPSHOT (RFC 6396 appendix B.3), which OpenBGPD writes for "table-mp".
  if (subtype === 2 || subtype === 3) throw new BrokenInput(oldTable("BGP4MP_ENTRY"));
  const encoding = messages[subtype];
  if (encoding === undefined) return add(otherSubtype);
  const { asSize, local } = encoding;
  const families = start + 2 * asSize + 2;
  if (body.length < families + 2) return add(refusals.short);
  const family = body.readUInt16BE(families);
  if (family === withoutAddresses) {
    const message = readBgpMessage(body, families - 2, encoding);
    return add("skipped" in message ? message : refusals.family);
  }
  if (family !== 1 && family !== 2) return add(refusals.family);
  const addressBytes = family === 1 ? 4 : 16;
  const microseconds = start === 0 ? "" : `.${String(body.readUInt32BE(0)).padStart(6, "0")}`;
  const timestamp = timestampOfEpoch(`${seconds}${microseconds}`);
  if (timestamp === undefined) return add(refusals.time);
  // The sender of a local message is the collector.
  const sender = start + (local ? asSize : 0);
  const peerAsn = asSize === 4 ? body.readUInt32BE(sender) : body.readUInt16BE(sender);
  let peer = encoding.addPath ? session(body, start, asSize, local) : "";
  const read: Encoding = encoding.addPath ? { ...encoding, plainFamilies: identifiers.plainFamilies(peer) } : encoding;
  const message = readBgpMessage(body, families + 2 + 2 * addressBytes, read);
  if (peer === "" && hasPathIds(message)) peer = session(body, start, asSize, local);
  addUpdates(message, { timestamp, peerAsn, monitor: null, service }, peer, identifiers, add);
}

const hasPathIds = (message: UpdateMessage | Skipped | Refusal): boolean =>
  "withdrawn" in message &&
  [message.announced, message.withdrawn].some((prefixes) => prefixes.some(({ pathId }) => pathId !== undefined));

/** Text of the AS and the address of the peer, and of the direction of its messages. */
function session(body: Buffer, start: number, asSize: 2 | 4, local: boolean): string {
  const families = start + 2 * asSize + 2;
  const end = families + 2 + (body.readUInt16BE(families) === 1 ? 4 : 16);
  return `${local}|${body.readUIntBE(start, asSize)}|${body.toString("latin1", families, end)}`;
}

/** A change to any state but Established ends the session and its routes; the record ends with the new state. */
function forgetPaths(body: Buffer, start: number, asSize: 2 | 4, identifiers: PathIdentifiers): void {
  const families = start + 2 * asSize + 2;
  if (body.length < families + 4 || body.readUInt16BE(body.length - 2) === established) return;
  for (const local of [true, false]) identifiers.forget(session(body, start, asSize, local));
}

/** Peer and local AS of 2 octets, each with an IPv4 address. */
const oldHeaderBytes = 12;

/** Reads a record of the deprecated type BGP, which collectors wrote until 2001 (RFC 6396 appendix B.2). */
function readOldUpdate(
  { subtype, seconds, body }: MrtRecord,
  service: string,
  identifiers: PathIdentifiers,
  add: (parsed: Update | Skipped | Refusal) => void,
): void {
  if (subtype !== 1) return add(subtype === 3 ? state : otherSubtype);
  const timestamp = timestampOfEpoch(String(seconds));
  if (timestamp === undefined) return add(refusals.time);
  if (body.length < oldHeaderBytes) return add(refusals.short);
  const message = readUpdate(body, oldHeaderBytes, body.length, { asSize: 2, addPath: false, isStrict: true });
  addUpdates(message, { timestamp, peerAsn: body.readUInt16BE(0), monitor: null, service }, "", identifiers, add);
}

/** Passes on an update for each prefix of a message. @param peer text that identifies the session, for ADD-PATH */
function addUpdates(
  message: UpdateMessage | Skipped | Refusal,
  common: Pick<Update, "timestamp" | "peerAsn" | "monitor" | "service">,
  peer: string,
  identifiers: PathIdentifiers,
  add: (parsed: Update | Skipped | Refusal) => void,
): void {
  if (message instanceof Refusal || "skipped" in message) return add(message);
  for (const { prefix, pathId } of message.withdrawn) {
    if (identifiers.remainsAfter(peer, prefix, pathId)) add(onePath);
    else add({ ...common, prefix, type: "W", path: [], communities: "[]" });
  }
  const { path, communities, refused, broken } = message;
  for (const { prefix, pathId } of message.announced) {
    identifiers.announce(peer, prefix, pathId);
    add(refused ?? { ...common, prefix, type: "A", path, communities });
  }
  if (broken !== undefined) add(broken);
}
