/** Reads the messages of RIPE RIS Live's WebSocket (https://ris-live.ripe.net/manual/). */
import { createHash } from "node:crypto";
import { printable } from "@routeql/contract/printable";
import { parseAsNumber } from "@routeql/database-access/number-resources";
import { parsePathJson } from "./as-path.ts";
import { isObject } from "./is-object.ts";
import { communitiesOfLists, type LiveMessage, timestampOfNumber } from "./live-message.ts";
import { prefixOf } from "./prefix.ts";
import { Refusal } from "./refusal.ts";
import type { Skipped, Update } from "./update.ts";

/** A message of the server: BGP, an error, or an answer (`pong`, `ris_subscribe_ok`, `ris_rrc_list`). */
export type RisLiveMessage = LiveMessage | { readonly error: string } | { readonly answer: string };

const refusals = {
  json: new Refusal("not a message of RIS Live"),
  time: new Refusal("the time is not understood"),
  host: new Refusal("the collector is not understood"),
  peer: new Refusal("the peer's AS number is not understood"),
  prefix: new Refusal("the prefix is not understood"),
  communities: new Refusal("a community is not understood"),
};

const endOfRib: Skipped = { skipped: "End-of-RIB" };
const skipped: ReadonlyMap<unknown, Skipped> = new Map(
  Object.entries({
    OPEN: { skipped: "OPEN" },
    NOTIFICATION: { skipped: "NOTIFICATION" },
    KEEPALIVE: { skipped: "KEEPALIVE" },
    // The manual's name, and that of the stream.
    RIS_PEER_STATE: { skipped: "STATE" },
    STATE: { skipped: "STATE" },
  }),
);

/** Reads one message of the socket. */
export function parseRisLive(text: string): RisLiveMessage {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return { id: "", parsed: [refusals.json] };
  }
  if (!isObject(message) || typeof message["type"] !== "string") return { id: "", parsed: [refusals.json] };
  const { type, data } = message;
  if (type === "ris_error") {
    const reason = isObject(data) ? data["message"] : undefined;
    return { error: typeof reason === "string" ? printable(reason, 200) : "no reason" };
  }
  if (type !== "ris_message") return { answer: type };
  if (!isObject(data)) return { id: "", parsed: [refusals.json] };
  const other = skipped.get(data["type"]);
  if (other !== undefined) return { id: "", parsed: [other] };
  // Messages before 2020 have no id.
  const id = typeof data["id"] === "string" ? data["id"] : createHash("sha1").update(text).digest("base64");
  return { id, parsed: data["type"] === "UPDATE" ? updates(data) : [refusals.json] };
}

function updates(data: Readonly<Record<string, unknown>>): readonly (Update | Skipped | Refusal)[] {
  const timestamp = timestampOfNumber(data["timestamp"], 3);
  if (timestamp === undefined) return [refusals.time];
  // "rrc00" until 2022, "rrc00.ripe.net" since.
  const host = typeof data["host"] === "string" ? /^([a-z0-9-]{1,40})(?:\.|$)/.exec(data["host"])?.[1] : undefined;
  if (host === undefined) return [refusals.host];
  const asn = data["peer_asn"];
  // Texts of other values would call functions that a source names.
  const peerAsn = typeof asn === "string" || typeof asn === "number" ? parseAsNumber(String(asn)) : undefined;
  if (peerAsn === undefined) return [refusals.peer];
  const common = { timestamp, peerAsn, monitor: null, service: `ripe-ris|${host}` };

  const found: (Update | Skipped | Refusal)[] = [];
  const each = (prefixes: unknown, row: (prefix: string) => Update | Refusal): void => {
    if (!Array.isArray(prefixes)) return void found.push(refusals.prefix);
    // One prefix stands under each of its next hops, the global and the link-local one.
    for (const prefix of new Set(prefixes.map((value) => (value === "eor" ? value : prefixOf(value)))))
      found.push(prefix === undefined ? refusals.prefix : prefix === "eor" ? endOfRib : row(prefix));
  };
  const { withdrawals = [], announcements = [] } = data;
  each(withdrawals, (prefix) => ({ ...common, prefix, type: "W", path: [], communities: "[]" }));
  if (!Array.isArray(announcements)) return [...found, refusals.prefix];
  if (announcements.length === 0) return found;
  const path = parsePathJson(data["path"] ?? []);
  const communities = communitiesOfLists(data["community"]) ?? refusals.communities;
  const refused = path instanceof Refusal ? path : communities instanceof Refusal ? communities : undefined;
  const announced = announcements.flatMap((group: unknown): unknown => (isObject(group) ? group["prefixes"] : [null]));
  each(
    announced,
    (prefix) =>
      refused ?? { ...common, prefix, type: "A", path: path as Update["path"], communities: communities as string },
  );
  return found;
}
