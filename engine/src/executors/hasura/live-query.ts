import { ClientLeft, LightCancellation } from "../../cancellation.ts";
import { busy, toEngineError } from "../../errors.ts";
import type { Listener, Subscription } from "../../executor.ts";
import type { KnownDocument } from "./documents.ts";
import type { LiveLoad } from "./live-load.ts";
import type { HasuraSlots } from "./slots.ts";

export interface LiveQueryOptions {
  readonly document: KnownDocument;
  /** Most rows of an answer. */
  readonly rows: number;
  readonly client: string;
  readonly listener: Listener;
  readonly slots: HasuraSlots;
  readonly load: LiveLoad;
  /** Starts it at Hasura. */
  readonly subscribe: (listener: Listener) => Subscription;
}

/** Time in milliseconds for the first answer. */
const trialTimeout = 10_000;

/** A live query at Hasura. The first of a document holds a slot until its cost is known; it ends if its client's cost too much. */
export class LiveQuery implements Subscription {
  readonly #options: LiveQueryOptions;
  readonly #left = new LightCancellation();
  #running: Subscription | undefined;
  #isCounted = false;

  constructor(options: LiveQueryOptions) {
    this.#options = options;
    const { document, client, rows } = options;
    if (document.pollTime !== undefined && document.paceFor(client, rows) !== "slow") this.#begin(document.pollTime);
    else void this.#try();
  }

  stop(): void {
    this.#left.abort(new ClientLeft());
    this.#running?.stop();
    if (this.#isCounted) this.#options.load.leave(this.#options.document);
    this.#isCounted = false;
  }

  #refuse(error: unknown): void {
    if (this.#left.aborted) return;
    this.stop();
    this.#options.listener.refuse(toEngineError(error));
  }

  /** Counts it, unless there are too many. */
  #count(pollTime: number): boolean {
    const { document, client, load } = this.#options;
    this.#isCounted = load.enter(document, client, pollTime);
    return this.#isCounted;
  }

  #begin(pollTime: number): void {
    // The caller must know the subscription before it can end.
    if (!this.#count(pollTime)) queueMicrotask(() => this.#refuse(busy("admission")));
    else this.#running = this.#options.subscribe(this.#options.listener);
  }

  async #try(): Promise<void> {
    const { document, client, rows, listener, slots } = this.#options;
    const ended = Promise.withResolvers<void>();
    try {
      // Hundreds of clients may start the same document at once: one of them measures it for all.
      while (document.trial !== undefined) await document.trial;
      if (this.#left.aborted) return;
      if (document.pollTime !== undefined && document.paceFor(client, rows) !== "slow") {
        this.#begin(document.pollTime);
        return;
      }
      document.trial = ended.promise;
      const pace = document.paceFor(client, rows);
      const free = await slots.take(client, pace === "quick" ? "unknown" : pace, this.#left);
      const start = performance.now();
      const timer = setTimeout(() => this.#refuse(busy("upstream")), trialTimeout);
      let isTried = false;
      const tried = (): void => {
        if (isTried) return;
        isTried = true;
        clearTimeout(timer);
        free();
        document.trial = undefined;
        ended.resolve();
      };
      this.#left.addEventListener("abort", tried);
      this.#running = this.#options.subscribe({
        ...listener,
        deliver: (delivery) => {
          if (!isTried) {
            const milliseconds = performance.now() - start;
            document.ran(client, milliseconds, rows);
            document.pollTime = milliseconds;
            tried();
            if (!this.#count(milliseconds)) {
              this.#refuse(busy("admission"));
              return;
            }
          }
          if (!this.#left.aborted) listener.deliver(delivery);
        },
        refuse: (error) => {
          tried();
          listener.refuse(error);
        },
        lose: () => {
          tried();
          listener.lose();
        },
      });
    } catch (error) {
      document.trial = undefined;
      ended.resolve();
      this.#refuse(error);
    }
  }
}
