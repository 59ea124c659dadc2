import { Refusal } from "./refusal.ts";

const malformed = new Refusal("a community is not understood");

/** Names that tools print instead of numbers (RFC 1997, RFC 3765, RFC 7999, RFC 8326). */
const wellKnown: Readonly<Record<string, string>> = {
  "graceful-shutdown": "[65535,0]",
  "no-export": "[65535,65281]",
  "no-advertise": "[65535,65282]",
  "no-export-subconfed": "[65535,65283]",
  "local-as": "[65535,65283]",
  "no-peer": "[65535,65284]",
  nopeer: "[65535,65284]",
  blackhole: "[65535,666]",
};

/**
 * JSON text of a list of communities: `64496:100` becomes `[64496,100]`, a large one (RFC 8092) a list of three numbers. An
 * extended one keeps its kind as text: `rt:64496:100` becomes `["rt",64496,100]`.
 */
export function communitiesJson(communities: readonly unknown[]): string | Refusal {
  if (communities.length === 0) return "[]";
  const lists: string[] = [];
  for (const community of communities) {
    const list = typeof community === "string" ? communityJson(community) : undefined;
    if (list === undefined) return malformed;
    lists.push(list);
  }
  return `[${lists.join(",")}]`;
}

function communityJson(text: string): string | undefined {
  const parts = text.split(":");
  if (parts.length === 1) return wellKnown[text.toLowerCase()];
  const values: string[] = [];
  for (const part of parts) {
    if (/^\d{1,10}$/.test(part)) values.push(String(Number(part)));
    else if (/^[A-Za-z0-9.-]{1,40}$/.test(part)) values.push(`"${part}"`);
    else return undefined;
  }
  return `[${values.join(",")}]`;
}
