import { randomInt } from "node:crypto";
import { database } from "../stack/database.ts";
import { loadLines } from "./load-lines.ts";
import {
  detectAll,
  northOrganisation,
  northPrefix,
  northPrefix6,
  southOrganisation,
  southPrefix,
} from "./detection.ts";

/** The two organisations whose prefixes the small world announces. */
export const organisations = { north: northOrganisation, south: southOrganisation } as const;

const hijacker = 64_511;
const ignoredPrefix = "198.18.0.128/25";

export interface Line {
  /** The line in `bgpdump -m` form. */
  readonly text: string;
  readonly prefix: string;
  /** The time in the view's format: UTC with microseconds. */
  readonly timestamp: string;
  readonly path: readonly number[];
}

export interface Announcement {
  readonly prefix: string;
  readonly path?: readonly number[];
  /** Seconds since 1970 with exactly six decimals; by default a unique moment within this second. */
  readonly at?: string;
}

/** An announcement in the format of a route collector. */
export function announcement({
  prefix,
  path = [64_500, 64_501, 64_496],
  at = `${Math.floor(Date.now() / 1000)}.${randomInt(100_000, 999_999)}`,
}: Announcement): Line {
  const [seconds, micros] = at.split(".") as [string, string];
  const stamp = `${new Date(Number(seconds) * 1000).toISOString().slice(0, 19)}.${micros}`.replace(/\.?0+$/, "");
  const text = `BGP4MP_ET|${at}|A|198.18.255.1|${path[0]}|${prefix}|${path.join(" ")}|IGP|198.18.255.1|0|0|64500:1 64500:2|NAG||`;
  return { text, prefix, timestamp: stamp, path };
}

/**
 * Prefixes of two organisations, each announced by its owner and hijacked by AS64511. One hijack is ignored and commented. The prefixes
 * are those of RFC 2544 and RFC 5180, which neither the demo data nor the internet uses. Writing it again changes nothing.
 */
export async function writeSmallWorld(): Promise<void> {
  const at = (second: number): string => `${1_700_000_000 + second}.000001`;
  const lines = [
    announcement({ prefix: northPrefix, path: [64_500, 64_496], at: at(0) }),
    announcement({ prefix: southPrefix, path: [64_500, 64_497], at: at(1) }),
    announcement({ prefix: northPrefix6, path: [64_500, 64_496], at: at(2) }),
    announcement({ prefix: northPrefix, path: [64_500, hijacker], at: at(3) }),
    announcement({ prefix: ignoredPrefix, path: [64_500, hijacker], at: at(4) }),
    announcement({ prefix: southPrefix, path: [64_500, hijacker], at: at(5) }),
    announcement({ prefix: northPrefix6, path: [64_500, hijacker], at: at(6) }),
    ...Array.from({ length: 8 }, (_, index) =>
      announcement({ prefix: `198.18.1.${index * 32}/27`, path: [64_500, hijacker], at: at(7) }),
    ),
    // One organisation has more rows than its tests request.
    ...Array.from({ length: 20 }, (_, index) =>
      announcement({ prefix: northPrefix, path: [64_500, 64_502, 64_520 + index, 64_496], at: at(10 + index) }),
    ),
  ];
  await loadLines(lines.map(({ text }) => text));
  await detectAll();
  const owner = await database("owner");
  await owner.query(
    `update routing.hijacks set ignored = true, active = false, dormant = false, comment = 'known test', community_annotation = 'critical'
     where prefix = $1 and hijack_as = $2`,
    [ignoredPrefix, hijacker],
  );
}
