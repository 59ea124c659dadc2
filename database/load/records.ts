import { isAsNumber, isPrefix, parseAsNumber } from "../shared/number-resources.ts";
import { parsePathJson, parsePathText } from "./as-path.ts";
import type { ByteSource } from "./byte-source.ts";
import { UpdateElements } from "./json-elements.ts";
import { BrokenInput, Refusal } from "./refusal.ts";
import { communitiesJson, type Skipped, timestampOfEpoch, timestampOfText, type Update } from "./update.ts";

/** Far above any line of routing data; without a limit, a file without line ends would have to fit in memory. */
const LONGEST_LINE = 1_048_576;

/** The lines of a source in batches, a byte as a character. Too long ones become a text that every parser rejects. */
export async function* lines(source: ByteSource): AsyncGenerator<string[]> {
  let rest = "";
  let tooLong = false;
  const finish = (line: string): string => {
    if (tooLong) {
      tooLong = false;
      return `[line of more than ${LONGEST_LINE} characters]`;
    }
    return line.endsWith("\r") ? line.slice(0, -1) : line;
  };
  for await (const chunk of source) {
    const batch = (rest + chunk.toString("latin1")).split("\n");
    rest = batch.pop() ?? "";
    yield batch.map(finish);
    if (rest.length > LONGEST_LINE) {
      tooLong = true;
      rest = "";
    }
  }
  if (rest !== "" || tooLong) yield [finish(rest)];
}

const ripestatRefusals = {
  shape: new Refusal("not an update of RIPEstat bgp-updates"),
  time: new Refusal("the time is not understood"),
  source: new Refusal("source_id is not <collector>-<peer address>"),
  prefix: new Refusal("the prefix is not understood"),
};

/**
 * Reads one element of `data.updates` of RIPEstat's bgp-updates answer:
 * `{timestamp, type, attrs: {source_id: "25-192.0.2.1", target_prefix, path, community}}`.
 * It names the monitor by collector and address only; the monitor's AS is the first of the paths that it announces.
 */
export function parseRipestatUpdate(value: unknown): Update | Refusal {
  if (!isObject(value) || !isObject(value["attrs"])) return ripestatRefusals.shape;
  const { timestamp: time, type, attrs } = value;
  if (type !== "A" && type !== "W") return ripestatRefusals.shape;
  const timestamp = typeof time === "string" ? timestampOfText(time) : undefined;
  if (timestamp === undefined) return ripestatRefusals.time;
  const monitor = attrs["source_id"];
  const collector = typeof monitor === "string" ? /^(\d{2,3})-[0-9a-fA-F.:]{2,45}$/.exec(monitor)?.[1] : undefined;
  if (typeof monitor !== "string" || collector === undefined) return ripestatRefusals.source;
  const prefix = attrs["target_prefix"];
  if (typeof prefix !== "string" || !isPrefix(prefix)) return ripestatRefusals.prefix;
  const common = { timestamp, prefix, monitor, service: `ripe-ris|rrc${collector}` };
  if (type === "W") return { ...common, type, peerAsn: null, path: [], communities: "[]" };
  const path = parsePathJson(attrs["path"]);
  if (path instanceof Refusal) return path;
  const community = attrs["community"] ?? [];
  const communities = Array.isArray(community) ? communitiesJson(community as unknown[]) : ripestatRefusals.shape;
  if (communities instanceof Refusal) return communities;
  const [first] = path;
  return { ...common, type, peerAsn: isAsNumber(first) ? first : null, path, communities };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** One line or one list element of an input, parsed. */
export interface InputRecord {
  /** Line number, or number of the element, from 1. */
  readonly position: number;
  /** The original text, for messages. */
  readonly text: () => string;
  readonly parsed: Update | Skipped | Refusal;
}

/** Records in the order of the input, in batches small enough to hold. */
export type Records = AsyncIterable<readonly InputRecord[]>;

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

/** The records of RIPEstat's bgp-updates answer, as a stream. @throws BrokenInput for invalid JSON; {@link NotRipestat} for other content */
export async function* ripestatRecords(source: ByteSource): Records {
  let position = 0;
  const reader = new UpdateElements();
  const record = (element: string | Refusal): InputRecord => {
    position += 1;
    if (element instanceof Refusal) return { position, text: () => "[a large element]", parsed: element };
    try {
      return { position, text: () => element, parsed: parseRipestatUpdate(JSON.parse(element)) };
    } catch (error) {
      throw new BrokenInput(
        `the JSON is broken in update ${position}: ${error instanceof Error ? error.message : String(error)}`,
        { cause: error },
      );
    }
  };
  for await (const chunk of source) yield reader.write(chunk).map(record);
  reader.end();
  if (!reader.seen) throw new NotRipestat("it is JSON, but no bgp-updates answer of RIPEstat");
}

/** Valid JSON without `data.updates`. */
export class NotRipestat extends BrokenInput {}

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
