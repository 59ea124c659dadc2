import type { Queries, Statement } from "../database.ts";
import { numberSettings } from "@routeql/sidecar-settings/numbers";

interface RevocationRow {
  account_id: string;
  /** Seconds since the epoch. */
  issued_before: number;
}

// Tokens of a longer life may still be valid after TOKEN_LIFE_SECONDS was reduced, so entries count for the longest one.
const statement: Statement = {
  name: "revoked-tokens",
  text: `
    select account_id, extract(epoch from issued_before)::float8 as issued_before from auth.revoked_tokens
    where issued_before > now() - interval '${numberSettings.TOKEN_LIFE_SECONDS.maximum} s' order by account_id`,
};

/** With more accounts the document would outgrow the limit of the verifiers. */
const mostAccounts = 1_000;

/** Times in seconds since the epoch by account, or by `*` for every account: tokens issued before are not accepted. */
export type RevokedBefore = Readonly<Record<string, number>>;

/** The accounts that were deleted or disabled or lost their role, in this replica's memory, so that they are known during a database outage. */
export class Revocations {
  readonly #queries: Queries;
  #published: RevokedBefore = {};

  constructor(queries: Queries) {
    this.#queries = queries;
  }

  /** Reads them again; on failure the previous ones stay. */
  async refresh(): Promise<void> {
    this.#published = revokedBefore(await this.#queries.query<RevocationRow>(statement));
  }

  published(): RevokedBefore {
    return this.#published;
  }
}

/** One entry for each account. One for all accounts when there are too many: every client then needs a new token. */
function revokedBefore(rows: readonly RevocationRow[]): RevokedBefore {
  if (rows.length > mostAccounts) return { "*": Math.max(...rows.map(({ issued_before: time }) => time)) };
  return Object.fromEntries(rows.map(({ account_id: account, issued_before: time }) => [account, time]));
}
