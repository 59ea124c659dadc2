import { isAsNumber } from "./as-number.ts";
import { parsePathJson } from "./as-path.ts";
import { communitiesJson } from "./communities.ts";
import { isPrefix } from "../shared/prefix.ts";
import { Refusal } from "./refusal.ts";
import { timestampOfText } from "./timestamp.ts";
import type { Update } from "./update.ts";

const refuse = {
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
  if (!isObject(value) || !isObject(value["attrs"])) return refuse.shape;
  const { timestamp: time, type, attrs } = value;
  if (type !== "A" && type !== "W") return refuse.shape;
  const timestamp = typeof time === "string" ? timestampOfText(time) : undefined;
  if (timestamp === undefined) return refuse.time;
  const monitor = attrs["source_id"];
  const collector = typeof monitor === "string" ? /^(\d{2,3})-[0-9a-fA-F.:]{2,45}$/.exec(monitor)?.[1] : undefined;
  if (typeof monitor !== "string" || collector === undefined) return refuse.source;
  const prefix = attrs["target_prefix"];
  if (typeof prefix !== "string" || !isPrefix(prefix)) return refuse.prefix;
  const common = { timestamp, prefix, monitor, service: `ripe-ris|rrc${collector}` };
  if (type === "W") return { ...common, type, peerAsn: null, path: [], communities: "[]" };
  const path = parsePathJson(attrs["path"]);
  if (path instanceof Refusal) return path;
  const community = attrs["community"] ?? [];
  const communities = Array.isArray(community) ? communitiesJson(community as unknown[]) : refuse.shape;
  if (communities instanceof Refusal) return communities;
  const [first] = path;
  return { ...common, type, peerAsn: isAsNumber(first) ? first : null, path, communities };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
