import type { Client } from "pg";
import { readVrps } from "../rpki/read.ts";
import { storeVrps } from "../rpki/store.ts";
import type { FeedLogger } from "./log.ts";

/** Loads the list of an RPKI validator, wholly into memory, at once and then regularly. A failure is logged; VrpsOld reports an old list. */
export class VrpsSchedule implements Disposable {
  readonly #timer: NodeJS.Timeout;
  #running = false;

  constructor(address: string, minutes: number, connect: () => Promise<Client>, log: FeedLogger) {
    const refresh = async (): Promise<void> => {
      if (this.#running) return;
      this.#running = true;
      try {
        const list = await readVrps(address);
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
        log.warn({ err: error }, "the list of the RPKI validator cannot be loaded");
      } finally {
        this.#running = false;
      }
    };
    this.#timer = setInterval(() => void refresh(), minutes * 60_000);
    void refresh();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
