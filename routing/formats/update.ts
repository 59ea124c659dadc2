import type { AsPath } from "./as-path.ts";
import { Refusal } from "./refusal.ts";

/** One BGP update of a source, before AS sets are expanded to rows. */
export interface Update {
  /** UTC, `YYYY-MM-DDTHH:MM:SS` with up to six decimals, with the source's digits. */
  readonly timestamp: string;
  /** Address and length, `192.0.2.0/24`. */
  readonly prefix: string;
  /** AS of the monitor; null if the source does not contain it. */
  readonly peerAsn: number | null;
  /** The source's name of the monitor, by which other updates may identify its AS; null if not needed. */
  readonly monitor: string | null;
  readonly type: "A" | "W";
  /** Empty for withdrawals. */
  readonly path: AsPath;
  /** JSON text of a list of communities, each a list: `[[64496,100],[64496,1,2]]`. */
  readonly communities: string;
  /** `source|collector`. */
  readonly service: string;
}

/** A valid record that is neither an update nor a rejection, such as a session state. */
export interface Skipped {
  readonly skipped: string;
}

const FIRST_YEAR = 1990;
const LAST_YEAR = 2099;

/** The whole seconds of the last answer: a second has many updates. */
let known = { seconds: "", text: "" };

/** UTC time of seconds since 1970, with at most six decimals, copied digit for digit. @returns undefined outside 1990 to 2099. */
export function timestampOfEpoch(text: string): string | undefined {
  const [, seconds, decimals = ""] = /^(\d{9,10})(\.\d{1,6})?$/.exec(text) ?? [];
  if (seconds === undefined) return undefined;
  if (seconds !== known.seconds) known = { seconds, text: new Date(Number(seconds) * 1000).toISOString().slice(0, 19) };
  return hasServedYear(known.text) ? known.text + decimals : undefined;
}

/** UTC time such as `2026-06-16T08:21:48`, with up to six decimals and an optional `Z`; undefined for anything else. */
export function timestampOfText(text: string): string | undefined {
  const [, seconds, decimals = ""] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d{1,6})?Z?$/.exec(text) ?? [];
  if (seconds === undefined || !hasServedYear(seconds)) return undefined;
  const date = new Date(`${seconds}Z`);
  // A day that does not exist, such as 30 February, is parsed as another day.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(seconds) ? seconds + decimals : undefined;
}

function hasServedYear(text: string): boolean {
  const year = Number(text.slice(0, 4));
  return year >= FIRST_YEAR && year <= LAST_YEAR;
}

const malformedCommunity = new Refusal("a community is not understood");

/** Names that tools print instead of numbers (RFC 1997, RFC 3765, RFC 7999, RFC 8326). */
const wellKnown: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "graceful-shutdown": "[65535,0]",
    "no-export": "[65535,65281]",
    "no-advertise": "[65535,65282]",
    "no-export-subconfed": "[65535,65283]",
    "local-as": "[65535,65283]",
    "no-peer": "[65535,65284]",
    nopeer: "[65535,65284]",
    blackhole: "[65535,666]",
  }),
);

/** JSON of communities: `64496:100` becomes `[64496,100]`, a large one (RFC 8092) three numbers, `rt:64496:100` keeps its kind. */
export function communitiesJson(communities: readonly unknown[]): string | Refusal {
  if (communities.length === 0) return "[]";
  const lists: string[] = [];
  for (const community of communities) {
    const list = typeof community === "string" ? communityJson(community) : undefined;
    if (list === undefined) return malformedCommunity;
    lists.push(list);
  }
  return `[${lists.join(",")}]`;
}

function communityJson(text: string): string | undefined {
  const parts = text.split(":");
  if (parts.length === 1) return wellKnown.get(text.toLowerCase());
  const values: string[] = [];
  for (const part of parts) {
    if (/^\d{1,10}$/.test(part)) values.push(String(Number(part)));
    else if (/^[A-Za-z0-9.-]{1,40}$/.test(part)) values.push(`"${part}"`);
    else return undefined;
  }
  return `[${values.join(",")}]`;
}
