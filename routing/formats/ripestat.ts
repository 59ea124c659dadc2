import { isAsNumber, isPrefix } from "@routeql/database-access/number-resources";
import { parsePathJson } from "./as-path.ts";
import { isObject } from "./is-object.ts";
import { JsonElements } from "./json-elements.ts";
import type { ByteSource, InputRecord, Records } from "./records.ts";
import { BrokenInput, Refusal } from "./refusal.ts";
import { communitiesJson, timestampOfEpoch, timestampOfText, type Update } from "./update.ts";

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
  // Numbers with the parameter unix_timestamps.
  const timestamp =
    typeof time === "string"
      ? (timestampOfText(time) ?? timestampOfEpoch(time))
      : typeof time === "number"
        ? timestampOfEpoch(String(time))
        : undefined;
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

/** The records of RIPEstat's bgp-updates answer, as a stream. @throws BrokenInput for invalid JSON; {@link NotRipestat} for other content */
export async function* ripestatRecords(source: ByteSource): Records {
  let position = 0;
  const reader = new JsonElements("data", "updates");
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
