import { isPrefix, parseAsNumber } from "@routeql/database-access/number-resources";
import { parsePathText } from "./as-path.ts";
import { lines } from "./lines.ts";
import type { ByteSource, InputRecord, Records } from "./records.ts";
import { PathIdentifiers } from "./path-identifiers.ts";
import { BrokenInput, Refusal } from "./refusal.ts";
import { communitiesJson, type Skipped, timestampOfEpoch, type Update } from "./update.ts";

/** The records of `bgpdump -m` text; empty lines are skipped. */
export async function* bgpdumpRecords(source: ByteSource, service: string): Records {
  let position = 0;
  const identifiers = new PathIdentifiers();
  for await (const batch of lines(source)) {
    const records: InputRecord[] = [];
    for (const line of batch.lines) {
      position += 1;
      if (line === "") continue;
      const parsed = parseBgpdumpLine(line, service, identifiers);
      if (!batch.whole && parsed instanceof Refusal)
        throw new BrokenInput(
          `it ends inside line ${position} (${parsed.reason}): the file is not complete; create it again`,
        );
      records.push({ position, text: () => line, parsed });
    }
    yield records;
  }
}

const refusals = {
  kind: new Refusal("not a line of bgpdump -m updates"),
  table: new Refusal("a line of a routing table, not an update; load the MRT file itself with --as-announcements"),
  readable: new Refusal("a line of bgpdump -M, which lacks communities; use bgpdump -m"),
  fields: new Refusal("the line has too few fields"),
  time: new Refusal("the time is not understood"),
  peer: new Refusal("the peer's AS number is not understood"),
  prefix: new Refusal("the prefix is not understood"),
  pathId: new Refusal("the path identifier is not understood"),
  withdrawn: new Refusal("bgpdump shows the peer's address in place of the withdrawn prefix; load the MRT file itself"),
};

const state: Skipped = { skipped: "STATE" };
/** Number of the state of a session that exchanges updates (RFC 6396 section 4.4.1). */
const established = "6";
const onePath: Skipped = { skipped: "withdrawal of one of several paths" };

/** First field: the type BGP of files until 2001; extended time, messages that the collector sent, path identifiers (ADD-PATH). */
const kinds = /^BGP$|^BGP4MP(?:_ET)?(?:_LOCAL)?(_AP)?$/;

/** Whether a line of the text is one of `bgpdump -m` or `-M`, after some broken ones. */
export const isBgpdump = (text: string): boolean => /^(?:BGP|BGP4MP[_A-Z]*|TABLE_DUMP2?(?:_AP)?)\|/m.test(text);

/** Communities in the text form of bgpdump; large ones stand in a field of their own with its option -l. */
const words = (field: string): readonly string[] => field.split(" ").filter((word) => word !== "");

/**
 * Reads one line of `bgpdump -m`, also with its options -l (large communities), -p (number of the packet) and -u:
 * `BGP4MP|[<packet>|]<epoch>|A|<peer address>|<peer AS>|<prefix>|[<path id>|]<path>|<origin>|<next hop>|<local pref>|<MED>|`
 * `<communities>|[<large communities>|]AG or NAG|…`, `…|W|<peer address>|<peer AS>|<prefix>[|<path id>]` or `…|STATE|…`.
 * @param service `source|collector`, which the line does not contain.
 */
export function parseBgpdumpLine(
  line: string,
  service: string,
  identifiers: PathIdentifiers = new PathIdentifiers(),
): Update | Skipped | Refusal {
  const [kind = "", ...rest] = line.split("|");
  const matched = kinds.exec(kind);
  if (matched === null) return kind.startsWith("TABLE_DUMP") ? refusals.table : refusals.kind;
  const hasPathId = matched[1] !== undefined;
  // Option -p puts the number of the packet before the time.
  if (/^\d+$/.test(rest[1] ?? "") || /^\d+\.\d+$/.test(rest[1] ?? "")) rest.shift();
  const [time = "", type, address = "", peer = "", prefix, ...more] = rest;
  if (type === "STATE") {
    if (rest[5] !== established) for (const local of ["", "local"]) identifiers.forget(`${local}|${address}|${peer}`);
    return state;
  }
  if (type !== "A" && type !== "W") return type === "B" ? refusals.table : refusals.kind;
  if (/^\d\d\/\d\d\/\d\d /.test(time)) return refusals.readable;
  const pathId = hasPathId ? more.shift() : undefined;
  const mark = more.findIndex((field) => field === "AG" || field === "NAG");
  // Lines of the type BGP have no field for communities; option -l adds one for large communities.
  const leastMark = kind === "BGP" ? communitiesAt : communitiesAt + 1;
  if (prefix === undefined || (type === "A" && (mark < leastMark || mark > communitiesAt + 2))) return refusals.fields;
  const timestamp = timestampOfEpoch(time);
  if (timestamp === undefined) return refusals.time;
  const peerAsn = parseAsNumber(peer);
  if (peerAsn === undefined) return refusals.peer;
  if (!isPrefix(prefix)) return refusals.prefix;
  // All withdrawals of the type BGP, also in version 1.6.2.
  if (kind === "BGP" && type === "W" && prefix.startsWith(`${address}/`)) return refusals.withdrawn;
  if (hasPathId && !/^\d{1,10}$/.test(pathId ?? "")) return refusals.pathId;
  const id = hasPathId ? Number(pathId) : undefined;
  const session = hasPathId ? `${kind.includes("LOCAL") ? "local" : ""}|${address}|${peer}` : "";
  const common = { timestamp, prefix, peerAsn, monitor: null, service };
  if (type === "W")
    return identifiers.remainsAfter(session, prefix, id) ? onePath : { ...common, type, path: [], communities: "[]" };
  const path = parsePathText((more[0] ?? "").trim());
  if (path instanceof Refusal) return path;
  const communities = communitiesJson(more.slice(communitiesAt, mark).flatMap(words));
  if (communities instanceof Refusal) return communities;
  identifiers.announce(session, prefix, id);
  return { ...common, type, path, communities };
}

/** Fields between the prefix and the communities: path, origin, next hop, local preference, MED. */
const communitiesAt = 5;
