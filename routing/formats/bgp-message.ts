/** Reads one BGP message (RFC 4271 section 4, up to 65,535 bytes by RFC 8654) into its announced and withdrawn prefixes. */
import type { AsPath } from "./as-path.ts";
import { type Nlri, readNlri } from "./nlri.ts";
import { type Encoding, readPathAttributes } from "./path-attributes.ts";
import { Refusal } from "./refusal.ts";
import type { Skipped } from "./update.ts";

/** An UPDATE; the path and the communities belong to all announced prefixes. */
export interface UpdateMessage {
  readonly withdrawn: readonly Nlri[];
  readonly announced: readonly Nlri[];
  readonly path: AsPath;
  /** JSON text of a list of communities. */
  readonly communities: string;
  /** Why no announced prefix can become a row; the withdrawn ones can. */
  readonly refused: Refusal | undefined;
  /** Announced prefixes that count as withdrawn, because an attribute is malformed (RFC 7606). */
  readonly treatedAsWithdrawn: number;
  /** The bytes after the last whole prefix, which are no prefix. */
  readonly broken: Refusal | undefined;
}

const headerBytes = 19;
const updateType = 2;
const otherMessages: Readonly<Record<number, Skipped>> = {
  1: { skipped: "OPEN" },
  3: { skipped: "NOTIFICATION" },
  4: { skipped: "KEEPALIVE" },
  5: { skipped: "ROUTE-REFRESH" },
};
const endOfRib: Skipped = { skipped: "End-of-RIB" };
const otherFamily: Skipped = { skipped: "other address family" };

const refusals = {
  short: new Refusal("the BGP message is longer than its record"),
  kind: new Refusal("the BGP message has an unknown type"),
  structure: new Refusal("the lengths inside the BGP UPDATE contradict each other"),
  attributes: new Refusal("the attributes of the BGP UPDATE do not show its prefixes"),
  prefix: new Refusal("the BGP UPDATE ends inside a prefix"),
  confederation: new Refusal("the path holds confederation segments"),
};

/** Reads the message that begins at `start`, with its marker. */
export function readBgpMessage(bytes: Buffer, start: number, encoding: Encoding): UpdateMessage | Skipped | Refusal {
  if (start + headerBytes > bytes.length) return refusals.short;
  const length = bytes.readUInt16BE(start + 16);
  const end = start + length;
  if (length < headerBytes || end > bytes.length) return refusals.short;
  const type = bytes[start + 18] as number;
  if (type !== updateType) return otherMessages[type] ?? refusals.kind;
  return readUpdate(bytes, start + headerBytes, end, encoding);
}

/** Reads the content of an UPDATE, which follows the header of the message. */
export function readUpdate(
  bytes: Buffer,
  start: number,
  end: number,
  encoding: Encoding,
): UpdateMessage | Skipped | Refusal {
  const withdrawnFrom = start + 2;
  if (withdrawnFrom > end) return refusals.structure;
  const withdrawnTo = withdrawnFrom + bytes.readUInt16BE(withdrawnFrom - 2);
  const attributesFrom = withdrawnTo + 2;
  if (attributesFrom > end) return refusals.structure;
  const attributesTo = attributesFrom + bytes.readUInt16BE(withdrawnTo);
  if (attributesTo > end) return refusals.structure;
  const withdrawn: Nlri[] = [];
  const announced: Nlri[] = [];
  const whole =
    readNlri(bytes, withdrawnFrom, withdrawnTo, 1, encoding, withdrawn) &&
    readNlri(bytes, attributesTo, end, 1, encoding, announced);
  const attributes = readPathAttributes(bytes, attributesFrom, attributesTo, encoding);
  if (attributes === undefined) return refusals.attributes;
  const broken = !whole || attributes.brokenPrefix;
  const allAnnounced = [...announced, ...attributes.announced];
  const allWithdrawn = [...withdrawn, ...attributes.withdrawn];
  if (allAnnounced.length === 0 && allWithdrawn.length === 0)
    return broken ? refusals.prefix : attributes.otherFamily ? otherFamily : endOfRib;
  // An announcement without a mandatory attribute also counts as a withdrawal (RFC 7606 section 3 (d)).
  const complete = !attributes.malformed && attributes.hasOrigin && (announced.length === 0 || attributes.hasNextHop);
  const path = complete ? attributes.path : undefined;
  if (allAnnounced.length > 0 && path === undefined)
    return {
      withdrawn: [...allWithdrawn, ...allAnnounced],
      announced: [],
      path: [],
      communities: "[]",
      refused: undefined,
      treatedAsWithdrawn: allAnnounced.length,
      broken: broken ? refusals.prefix : undefined,
    };
  return {
    withdrawn: allWithdrawn,
    announced: allAnnounced,
    path: path ?? [],
    communities: attributes.communities,
    refused: attributes.confederation ? refusals.confederation : undefined,
    treatedAsWithdrawn: 0,
    broken: broken ? refusals.prefix : undefined,
  };
}
