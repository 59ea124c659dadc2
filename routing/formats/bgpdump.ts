import { isPrefix, parseAsNumber } from "@routeql/database-access/number-resources";
import { parsePathText } from "./as-path.ts";
import { lines } from "./lines.ts";
import type { ByteSource, InputRecord, Records } from "./records.ts";
import { Refusal } from "./refusal.ts";
import { communitiesJson, type Skipped, timestampOfEpoch, type Update } from "./update.ts";

/** The records of `bgpdump -m` text; empty lines are skipped. */
export async function* bgpdumpRecords(source: ByteSource, service: string): Records {
  let position = 0;
  for await (const batch of lines(source)) {
    const records: InputRecord[] = [];
    for (const line of batch) {
      position += 1;
      if (line !== "") records.push({ position, text: () => line, parsed: parseBgpdumpLine(line, service) });
    }
    yield records;
  }
}

const bgpdumpRefusals = {
  kind: new Refusal("not a line of bgpdump -m updates"),
  table: new Refusal("a line of a routing table, not an update"),
  fields: new Refusal("the line has too few fields"),
  time: new Refusal("the time is not understood"),
  peer: new Refusal("the peer's AS number is not understood"),
  prefix: new Refusal("the prefix is not understood"),
};

/** Fields of an announcement up to its communities. */
const ANNOUNCEMENT_FIELDS = 12;

/**
 * Reads one line of `bgpdump -m`:
 * `BGP4MP|<epoch>|A|<peer address>|<peer AS>|<prefix>|<path>|<origin>|<next hop>|<local pref>|<MED>|<communities>|…`,
 * `BGP4MP|<epoch>|W|<peer address>|<peer AS>|<prefix>` or `BGP4MP|<epoch>|STATE|…`; BGP4MP_ET lines have a time with decimals.
 * @param service `source|collector`, which the line does not contain.
 */
export function parseBgpdumpLine(line: string, service: string): Update | Skipped | Refusal {
  const fields = line.split("|");
  const [kind, time, type, , peer, prefix] = fields;
  if (kind !== "BGP4MP" && kind !== "BGP4MP_ET")
    return kind?.startsWith("TABLE_DUMP") ? bgpdumpRefusals.table : bgpdumpRefusals.kind;
  if (type === "STATE") return { skipped: "STATE" };
  if (type !== "A" && type !== "W") return type === "B" ? bgpdumpRefusals.table : bgpdumpRefusals.kind;
  if (prefix === undefined || (type === "A" && fields.length < ANNOUNCEMENT_FIELDS)) return bgpdumpRefusals.fields;
  const timestamp = timestampOfEpoch(time ?? "");
  if (timestamp === undefined) return bgpdumpRefusals.time;
  const peerAsn = parseAsNumber(peer ?? "");
  if (peerAsn === undefined) return bgpdumpRefusals.peer;
  if (!isPrefix(prefix)) return bgpdumpRefusals.prefix;
  const common = { timestamp, prefix, peerAsn, monitor: null, service };
  if (type === "W") return { ...common, type, path: [], communities: "[]" };
  const path = parsePathText((fields[6] ?? "").trim());
  if (path instanceof Refusal) return path;
  const communities = communitiesJson((fields[11] ?? "").split(" ").filter((word) => word !== ""));
  if (communities instanceof Refusal) return communities;
  return { ...common, type, path, communities };
}
