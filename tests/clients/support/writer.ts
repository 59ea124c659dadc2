import { setTimeout as sleep } from "node:timers/promises";
import { database } from "../../e2e/support/stack/database.ts";

/** Writes one update each second, and knows those that were committed. */
export class Writer {
  /** Prefixes of committed rows. */
  readonly written: string[] = [];
  readonly #ended = new AbortController();
  readonly #loop = this.#write();

  async stop(): Promise<void> {
    this.#ended.abort();
    await this.#loop;
  }

  async #write(): Promise<void> {
    for (let count = 1; !this.#ended.signal.aborted; count += 1) {
      // In the form in which Postgres writes it.
      const prefix = `2001:db8:${count.toString(16)}::/48`;
      while (!this.#ended.signal.aborted) {
        const end = AbortSignal.timeout(10_000);
        try {
          await Promise.race([this.#insert(prefix), rejected(end)]);
          this.written.push(prefix);
          break;
        } catch (error) {
          // An error of the statement itself. Otherwise the database is away, and the key makes the next attempt the same row.
          if (/^(22|23|42)/.test((error as { code?: string }).code ?? "")) throw error;
          await sleep(1000);
        }
      }
      await sleep(1000);
    }
  }

  async #insert(prefix: string): Promise<void> {
    const owner = await database("owner");
    await owner.query(
      `insert into routing.bgp_updates (key, prefix, origin_as, peer_asn, as_path, service, type, "timestamp")
       select md5($1::text)::uuid, $1::text::inet, 64496, 64500, '{64500,64496}', 'test|clients', 'A', localtimestamp
       where not exists (select from routing.bgp_updates where key = md5($1::text)::uuid)`,
      [prefix],
    );
  }
}

const rejected = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("no answer within 10 s"))));
