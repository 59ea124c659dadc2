/** Reads routing tables, MRT type TABLE_DUMP_V2 (RFC 6396 section 4.3, RFC 8050 section 4). */
import type { AddressFamily } from "./nlri.ts";
import { prefixText } from "./nlri.ts";
import { readPathAttributes } from "./path-attributes.ts";
import { Refusal } from "./refusal.ts";
import { type Skipped, timestampOfEpoch, type Update } from "./update.ts";

/** The parts of an MRT record that a table needs. */
interface TableRecord {
  readonly seconds: number;
  readonly subtype: number;
  readonly body: Buffer;
}

export interface RoutingTable {
  /** Passes on each route of a record as an announcement at the record's time. */
  readonly read: (record: TableRecord, add: (parsed: Update | Skipped | Refusal) => void) => void;
}

const peerIndexTable = 1;
const routes: Readonly<Record<number, { readonly family: AddressFamily; readonly addPath: boolean }>> = {
  2: { family: 1, addPath: false },
  4: { family: 2, addPath: false },
  8: { family: 1, addPath: true },
  10: { family: 2, addPath: true },
};
const otherRecord: Skipped = { skipped: "other record of a routing table" };
const peers: Skipped = { skipped: "index of peers" };

const refusals = {
  peers: new Refusal("the index of peers of the routing table is damaged"),
  route: new Refusal("the route of the routing table is damaged"),
  peer: new Refusal("the route names a peer that the index lacks"),
  attributes: new Refusal("the path attributes of the route are not understood"),
  confederation: new Refusal("the path holds confederation segments"),
  time: new Refusal("the time is not understood"),
};

/** @param service `source|collector` */
export function routingTable(service: string): RoutingTable {
  let known: readonly number[] = [];
  return {
    read: ({ seconds, subtype, body }, add) => {
      if (subtype === peerIndexTable) {
        const read = readPeers(body);
        known = read ?? [];
        return add(read === undefined ? refusals.peers : peers);
      }
      const kind = routes[subtype];
      if (kind === undefined) return add(otherRecord);
      const timestamp = timestampOfEpoch(String(seconds));
      if (timestamp === undefined) return add(refusals.time);
      const length = body[4] ?? 256;
      const size = (length + 7) >> 3;
      if (length > (kind.family === 1 ? 32 : 128) || body.length < 7 + size) return add(refusals.route);
      const prefix = prefixText(body, 5, length, kind.family);
      const count = body.readUInt16BE(5 + size);
      let at = 7 + size;
      const entryBytes = kind.addPath ? 12 : 8;
      for (let index = 0; index < count; index += 1) {
        if (at + entryBytes > body.length) return add(refusals.route);
        const peerAsn = known[body.readUInt16BE(at)];
        const from = at + entryBytes;
        const to = from + body.readUInt16BE(from - 2);
        if (to > body.length) return add(refusals.route);
        at = to;
        const attributes = readPathAttributes(body, from, to, { asSize: 4, addPath: kind.addPath, table: true });
        if (peerAsn === undefined) add(refusals.peer);
        else if (attributes === undefined || attributes.malformed) add(refusals.attributes);
        else if (attributes.confederation) add(refusals.confederation);
        else {
          // A route that the peer itself originated inside its AS may have no path.
          const { path = [], communities } = attributes;
          add({ timestamp, prefix, peerAsn, monitor: null, service, type: "A", path, communities });
        }
      }
    },
  };
}

/** AS numbers of the peers in the order of the index (RFC 6396 section 4.3.1). */
function readPeers(body: Buffer): readonly number[] | undefined {
  const numbers: number[] = [];
  if (body.length < 8) return undefined;
  let at = 6 + body.readUInt16BE(4);
  if (at + 2 > body.length) return undefined;
  const count = body.readUInt16BE(at);
  at += 2;
  for (let index = 0; index < count; index += 1) {
    const kind = body[at] ?? 0;
    const start = at + 5 + ((kind & 1) === 0 ? 4 : 16);
    const size = (kind & 2) === 0 ? 2 : 4;
    if (start + size > body.length) return undefined;
    numbers.push(size === 4 ? body.readUInt32BE(start) : body.readUInt16BE(start));
    at = start + size;
  }
  return numbers;
}
