import type { AsPath } from "./as-path.ts";

/** One BGP update as its source tells it, before AS sets are spread over rows. */
export interface Update {
  /** UTC, `YYYY-MM-DDTHH:MM:SS` with up to six decimals, digit for digit those of the source. */
  readonly timestamp: string;
  /** Address and length, `192.0.2.0/24`. */
  readonly prefix: string;
  /** AS of the monitor; null when the source does not say it with this update. */
  readonly peerAsn: number | null;
  /** The source's own name of the monitor, by which other updates may tell its AS; null when it needs none. */
  readonly monitor: string | null;
  readonly type: "A" | "W";
  /** Empty for withdrawals. */
  readonly path: AsPath;
  /** JSON text of a list of communities, each a list: `[[64496,100],[64496,1,2]]`. */
  readonly communities: string;
  /** `source|collector`. */
  readonly service: string;
}

/** What a record of an input can be besides an update or a refusal: something true that is none of the views' business. */
export interface Skipped {
  readonly skipped: string;
}
