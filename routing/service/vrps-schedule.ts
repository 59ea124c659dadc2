import type { Client } from "pg";
import { readVrps } from "../rpki/read.ts";
import { storeVrps } from "../rpki/store.ts";
import type { FeedLogger } from "./log.ts";

/** Minutes until the next attempt after a failure: a validator that has just started has no list yet. */
const retry = 5;

/** Loads the list of an RPKI validator, wholly into memory, at once and then regularly. A failure is logged; VrpsOld reports an old list. */
export class VrpsSchedule implements Disposable {
  #timer: NodeJS.Timeout | undefined;
  readonly #stopping = new AbortController();

  constructor(address: string, minutes: number, connect: () => Promise<Client>, log: FeedLogger) {
    const { signal } = this.#stopping;
    const refresh = async (): Promise<void> => {
      let wait = minutes;
      try {
        const list = await readVrps(address, signal);
        const client = await connect();
        try {
          // All payloads change in one transaction.
          await client.query("set statement_timeout = '10min'; set idle_in_transaction_session_timeout = '1min'");
          const { total, hijacks } = await storeVrps(client, list, { source: address, fewer: false });
          log.info({ payloads: total, hijacks }, "stored the list of the RPKI validator");
        } finally {
          await client.end().catch(() => {});
        }
      } catch (error) {
        if (signal.aborted) return;
        log.warn({ err: error }, "the list of the RPKI validator cannot be loaded");
        wait = Math.min(retry, minutes);
      }
      if (!signal.aborted) this.#timer = setTimeout(() => void refresh(), wait * 60_000);
    };
    void refresh();
  }

  [Symbol.dispose](): void {
    this.#stopping.abort();
    clearTimeout(this.#timer);
  }
}
