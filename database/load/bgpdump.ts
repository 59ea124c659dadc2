import { parseAsNumber } from "./as-number.ts";
import { parsePathText } from "./as-path.ts";
import { communitiesJson } from "./communities.ts";
import { isPrefix } from "../shared/prefix.ts";
import { Refusal } from "./refusal.ts";
import { timestampOfEpoch } from "./timestamp.ts";
import type { Skipped, Update } from "./update.ts";

const refuse = {
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
  if (kind !== "BGP4MP" && kind !== "BGP4MP_ET") return kind?.startsWith("TABLE_DUMP") ? refuse.table : refuse.kind;
  if (type === "STATE") return { skipped: "STATE" };
  if (type !== "A" && type !== "W") return type === "B" ? refuse.table : refuse.kind;
  if (prefix === undefined || (type === "A" && fields.length < ANNOUNCEMENT_FIELDS)) return refuse.fields;
  const timestamp = timestampOfEpoch(time ?? "");
  if (timestamp === undefined) return refuse.time;
  const peerAsn = parseAsNumber(peer ?? "");
  if (peerAsn === undefined) return refuse.peer;
  if (!isPrefix(prefix)) return refuse.prefix;
  const common = { timestamp, prefix, peerAsn, monitor: null, service };
  if (type === "W") return { ...common, type, path: [], communities: "[]" };
  const path = parsePathText((fields[6] ?? "").trim());
  if (path instanceof Refusal) return path;
  const communities = communitiesJson((fields[11] ?? "").split(" ").filter((word) => word !== ""));
  if (communities instanceof Refusal) return communities;
  return { ...common, type, path, communities };
}
