import type { AsPath } from "./as-path.ts";

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
