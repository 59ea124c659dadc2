import type { Queries, Statement } from "./database.ts";
import { numberSettings } from "@routeql/sidecar-settings/numbers";

interface RevocationRow {
  account_id: string;
  /** Seconds since the epoch. */
  issued_before: number;
}

const { TOKEN_LIFE_SECONDS: life, TOKEN_CLOCK_TOLERANCE_SECONDS: tolerance } = numberSettings;

// Tokens of a longer life may still be valid after TOKEN_LIFE_SECONDS was reduced, so entries count for the longest one. The clock that stamped
// a token may be ahead, the clock that checks it behind, and the check itself tolerates as much.
const statement: Statement = {
  name: "revoked-tokens",
  text: `
    select account_id, extract(epoch from issued_before)::float8 as issued_before from auth.revoked_tokens
    where issued_before > now() - interval '${life.maximum + 3 * tolerance.maximum} s' order by account_id`,
};

/**
 * Seconds to add to the times of auth.revoked_tokens, which include one second for the difference of two clocks (auth.revoke_tokens).
 * @param toleranceSeconds by which the clock that stamps tokens may be ahead of the database's
 */
export const revocationMargin = (toleranceSeconds: number): number => Math.max(0, toleranceSeconds - tolerance.default);

/** With more accounts the document would outgrow the limit of the verifiers. */
const mostAccounts = 1_000;

/** Times in seconds since the epoch by account, or by `*` for every account: tokens issued before are not accepted. */
export type RevokedBefore = Readonly<Record<string, number>>;

/** The accounts that were deleted or disabled or lost their role, in this replica's memory, so that they are known during a database outage. */
export class Revocations {
  readonly #queries: Queries;
  readonly #margin: number;
  #published: RevokedBefore = {};

  /** @param margin see {@link revocationMargin} */
  constructor(queries: Queries, margin: number) {
    this.#queries = queries;
    this.#margin = margin;
  }

  /** Reads them again; on failure the previous ones stay. */
  async refresh(): Promise<void> {
    this.#published = revokedBefore(await this.#queries.query<RevocationRow>(statement), this.#margin);
  }

  published(): RevokedBefore {
    return this.#published;
  }
}

/** One entry for each account. One for all accounts when there are too many: every client then needs a new token. */
function revokedBefore(rows: readonly RevocationRow[], margin: number): RevokedBefore {
  const times = rows.map(({ account_id: account, issued_before: time }) => [account, time + margin] as const);
  if (times.length > mostAccounts) return { "*": Math.max(...times.map(([, time]) => time)) };
  return Object.fromEntries(times);
}
