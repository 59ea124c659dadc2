import { randomUUID } from "node:crypto";
import { LibpqClient, type LibpqConfig } from "@routeql/contract/connection/client";
import type pg from "pg";
import { LightCancellation, unlessAborted } from "../cancellation.ts";

/** The channel of routing.tell_change (database/migrations). */
const channel = "routeql_changes";

/** Milliseconds between two proofs that notices arrive. */
const proofInterval = 30_000;

/** Milliseconds for a proof, and for every statement of the connection. */
const patience = 5_000;

/** Milliseconds between two attempts to connect. */
const retryInterval = 1_000;

/** A connection on which notices arrive. */
export type Hearing = Pick<pg.Client, "query">;

export interface ListenerEvents {
  /** Notices arrive from now on. It rejects when the connection is not usable. */
  readonly onUp: (hearing: Hearing) => Promise<void>;
  readonly onNotice: (payload: string) => void;
  /** The proof succeeded again. It rejects when the connection is not usable. */
  readonly onProof: (hearing: Hearing) => Promise<void>;
  /** Notices may be lost from now on. Called once for each attempt that fails, and after each loss. */
  readonly onDown: (reason: string) => void;
}

/**
 * Listens for notices on a connection of its own. A pooler in transaction mode accepts LISTEN and stays silent, as does a broken network, so
 * the connection counts only while notices of its own return.
 */
export class Listener {
  readonly #connection: LibpqConfig;
  readonly #events: ListenerEvents;
  #client: LibpqClient | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  #lose: (error: unknown) => void = () => undefined;

  constructor(connection: LibpqConfig, events: ListenerEvents) {
    this.#connection = connection;
    this.#events = events;
    void this.#run();
  }

  /** Connects again, because a statement of the connection failed. */
  restart(error: unknown): void {
    this.#lose(error);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#client?.end().catch(() => undefined);
  }

  async #run(): Promise<void> {
    const { onUp, onDown, onProof } = this.#events;
    while (!this.#isStopped) {
      const client = this.#open();
      this.#client = client;
      const lost = new LightCancellation();
      this.#lose = (error) => lost.abort(error instanceof Error ? error : new Error("unknown"));
      client.on("error", (error) => lost.abort(error));
      client.on("end", () => lost.abort(new Error("the connection ended")));
      // Not a race with one promise, which would keep the results of all rounds while the connection lasts.
      const unlessLost = async (work: () => Promise<void>): Promise<void> => {
        lost.throwIfAborted();
        await unlessAborted(work(), lost);
      };
      try {
        await client.connect();
        await client.query(`LISTEN ${channel}`);
        await this.#prove(client);
        await unlessLost(() => onUp(client));
        for (;;) {
          await unlessLost(() => this.#pause(proofInterval));
          await unlessLost(() => this.#prove(client));
          await unlessLost(() => onProof(client));
        }
      } catch (error) {
        if (!this.#isStopped) onDown(reasonOf(error));
        client.end().catch(() => undefined);
      }
      if (!this.#isStopped) await this.#pause(retryInterval);
    }
  }

  #open(): LibpqClient {
    const client = new LibpqClient({
      ...this.#connection,
      connectionTimeoutMillis: patience,
      query_timeout: patience,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      application_name: "routeql-engine-listener",
      options: `-c default_transaction_read_only=on -c statement_timeout=${patience}`,
    });
    client.on("notification", ({ payload = "" }) => {
      if (this.#client === client && !payload.startsWith("proof ")) this.#events.onNotice(payload);
    });
    return client;
  }

  /** @throws Error when a notice does not return in time */
  async #prove(client: LibpqClient): Promise<void> {
    const payload = `proof ${randomUUID()}`;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const hear = (message: pg.Notification): void => {
      if (message.payload === payload) resolve();
    };
    // A statement that hangs outlasts the timer; until it fails, nothing waits for this promise.
    promise.catch(() => undefined);
    const timer = setTimeout(() => reject(new Error(silence)), patience);
    client.on("notification", hear);
    try {
      await client.query(`NOTIFY ${channel}, '${payload}'`);
      await promise;
    } finally {
      clearTimeout(timer);
      client.off("notification", hear);
    }
  }

  #pause(milliseconds: number): Promise<void> {
    return new Promise((proceed) => {
      this.#timer = setTimeout(proceed, milliseconds).unref();
    });
  }
}

const silence = "a notice of its own did not return; is there a pooler in transaction mode before the database?";

/** The cause without names of hosts and users. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  if (error.message === silence) return silence;
  const { code } = error as { code?: unknown };
  if (code === "25006" || code === "55000" || /during recovery/.test(error.message))
    return "the database is a hot standby, which refuses LISTEN";
  return typeof code === "string" ? code : "the connection ended";
}
