/** Reads the JSON lines that exabgp 4 and 5 write to their processes (encoder json). */
import { createHash } from "node:crypto";
import { isIP } from "node:net";
import { isAsNumber } from "@routeql/database-access/number-resources";
import type { AsPath } from "./as-path.ts";
import { isObject } from "./is-object.ts";
import { communitiesOfLists, type LiveMessage, timestampOfNumber } from "./live-message.ts";
import type { PathIdentifiers } from "./path-identifiers.ts";
import { prefixOf } from "./prefix.ts";
import { Refusal } from "./refusal.ts";
import type { Skipped, Update } from "./update.ts";

/** A line of exabgp. */
export interface ExabgpMessage extends LiveMessage {
  /** Number of the message of this router and process, from 1; a jump shows lost lines. Undefined outside of a session. */
  readonly counter: number | undefined;
  /** Address of the router of the counter. */
  readonly neighbor: string;
}

const refusals = {
  json: new Refusal("not a JSON line of exabgp"),
  time: new Refusal("the time is not understood"),
  peer: new Refusal("the peer's address or AS number is not understood"),
  prefix: new Refusal("the prefix is not understood"),
  path: new Refusal("the path is not a list of AS numbers and AS sets"),
  confederation: new Refusal("the path holds confederation segments"),
  communities: new Refusal("a community is not understood"),
  // It has an object of prefixes, in which several paths of one prefix have the same key.
  version: new Refusal("a version of exabgp before 4, whose lines lose paths"),
  packet: new Refusal("the line has bytes only; write parsed in place of packets in exabgp.conf"),
};

/** Types of messages without updates. */
const skipped: ReadonlyMap<unknown, Skipped> = new Map([
  ["state", { skipped: "STATE" }],
  ...["open", "keepalive", "notification", "refresh", "operational", "negotiated", "fsm", "signal", "shutdown"].map(
    (type): [string, Skipped] => [type, { skipped: type }],
  ),
]);
const sent: Skipped = { skipped: "message that exabgp sent" };
const endOfRib: Skipped = { skipped: "End-of-RIB" };
const otherFamily: Skipped = { skipped: "other address family" };
const onePath: Skipped = { skipped: "withdrawal of one of several paths" };

const routed = /^ipv[46] (?:unicast|multicast)$/;

/** @param service `source|collector` of all updates */
export function parseExabgp(text: string, service: string, identifiers: PathIdentifiers): ExabgpMessage {
  const message = objectOf(text);
  const neighbor = message?.["neighbor"];
  const counter = typeof message?.["counter"] === "number" ? message["counter"] : undefined;
  const peer = isObject(neighbor) && isObject(neighbor["address"]) ? neighbor["address"]["peer"] : undefined;
  // It is remembered, so that any text could fill the memory.
  const address = typeof peer === "string" && isIP(peer) !== 0 ? peer : undefined;
  const answer = (...parsed: LiveMessage["parsed"]): ExabgpMessage => ({
    id: createHash("sha1").update(text).digest("base64"),
    parsed,
    counter,
    neighbor: address ?? "",
  });
  if (message === undefined) return answer(refusals.json);
  if (message["type"] === "state" && isObject(neighbor) && neighbor["state"] !== "up" && address !== undefined)
    identifiers.forget(address);
  // The reason is a label of a metric.
  if (message["type"] !== "update") return answer(skipped.get(message["type"]) ?? refusals.json);
  if (!isObject(neighbor)) return answer(refusals.json);
  if (neighbor["direction"] === "send") return answer(sent);
  const timestamp = timestampOfNumber(message["time"], 6);
  if (timestamp === undefined) return answer(refusals.time);
  const asn = isObject(neighbor["asn"]) ? neighbor["asn"]["peer"] : undefined;
  const peerAsn = typeof asn === "string" || typeof asn === "number" ? Number(asn) : undefined;
  if (address === undefined || !isAsNumber(peerAsn)) return answer(refusals.peer);
  const content = neighbor["message"];
  if (isObject(content) && "eor" in content) return answer(endOfRib);
  if (isObject(content) && "body" in content) return answer(refusals.packet);
  const update = isObject(content) ? content["update"] : undefined;
  if (!isObject(update)) return answer(refusals.json);

  const common = { timestamp, peerAsn, monitor: null, service };
  const found: (Update | Skipped | Refusal)[] = [];
  for (const [family, prefixes] of entries(update["withdraw"]))
    for (const route of routes(family, prefixes)) {
      if (!("prefix" in route)) found.push(route);
      else if (identifiers.remainsAfter(address, route.prefix, route.pathId)) found.push(onePath);
      else found.push({ ...common, prefix: route.prefix, type: "W", path: [], communities: "[]" });
    }
  const { path, communities, refused } = attributes(update["attribute"]);
  const seen = new Set<string>();
  for (const [family, hops] of entries(update["announce"]))
    for (const [, prefixes] of entries(hops))
      for (const route of routes(family, prefixes)) {
        if (!("prefix" in route)) found.push(route);
        else if (refused !== undefined) found.push(refused);
        else {
          identifiers.announce(address, route.prefix, route.pathId);
          // One prefix under two next hops is one update.
          if (seen.has(`${route.prefix}|${route.pathId}`)) continue;
          seen.add(`${route.prefix}|${route.pathId}`);
          found.push({ ...common, prefix: route.prefix, type: "A", path, communities });
        }
      }
  return answer(...found);
}

/** Texts of a peer, which exabgp writes without escapes; they are the last members of a line. */
const textOfPeer = /, "(?:reason|notification)": .*$/s;

function objectOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return textOfPeer.test(text) ? objectOf(text.replace(textOfPeer, " } }")) : undefined;
  }
}

const entries = (value: unknown): [string, unknown][] => (isObject(value) ? Object.entries(value) : []);

interface Route {
  readonly prefix: string;
  readonly pathId: number | undefined;
}

/** An element is `{"nlri": "192.0.2.0/24", "path-information": "0.0.0.1"}`, in the compact form its prefix only. */
function routes(family: string, elements: unknown): (Route | Skipped | Refusal)[] {
  if (!routed.test(family)) return [otherFamily];
  if (isObject(elements)) return [refusals.version];
  const list: readonly unknown[] = Array.isArray(elements) ? elements : [null];
  return list.map((element) => {
    const { nlri, "path-information": path } = isObject(element) ? element : { nlri: element };
    const prefix = prefixOf(nlri);
    if (prefix === undefined) return refusals.prefix;
    const octets = typeof path === "string" ? path.split(".").map(Number) : [];
    return { prefix, pathId: octets.length === 4 ? octets.reduce((sum, octet) => sum * 256 + octet, 0) : undefined };
  });
}

function attributes(value: unknown): { path: AsPath; communities: string; refused: Refusal | undefined } {
  const read = isObject(value) ? value : {};
  // Version 4 shows an empty list with every path.
  const confederation = [read["confederation-path"], read["confederation-set"]].flat();
  const path = confederation.some((member) => member !== undefined) ? refusals.confederation : pathOf(read);
  const communities = communitiesOfLists(read["community"], read["large-community"]);
  return {
    path: path instanceof Refusal ? [] : path,
    communities: communities ?? "[]",
    refused: path instanceof Refusal ? path : communities === undefined ? refusals.communities : undefined,
  };
}

/** Version 5 has an object of segments; version 4 a list, and the members of all sets, whose place is lost: the end, where aggregation puts it. */
function pathOf(attribute: Readonly<Record<string, unknown>>): AsPath | Refusal {
  const { "as-path": value = [], "as-set": set = [] } = attribute;
  const numbers = (list: unknown): readonly number[] | undefined =>
    Array.isArray(list) && list.every(isAsNumber) ? list : undefined;
  if (Array.isArray(value)) {
    const sequence = numbers(value);
    const members = numbers(set);
    if (sequence === undefined || members === undefined) return refusals.path;
    return members.length === 0 ? sequence : [...sequence, members];
  }
  if (!isObject(value)) return refusals.path;
  const path: (number | readonly number[])[] = [];
  for (const [, segment] of Object.entries(value).toSorted(([one], [other]) => Number(one) - Number(other))) {
    const members = isObject(segment) ? numbers(segment["value"]) : undefined;
    if (!isObject(segment) || members === undefined) return refusals.path;
    if (segment["element"] === "as-sequence") path.push(...members);
    else if (segment["element"] === "as-set" && members.length > 0) path.push(members);
    else {
      const { element } = segment;
      return typeof element === "string" && element.includes("confed") ? refusals.confederation : refusals.path;
    }
  }
  return path;
}
