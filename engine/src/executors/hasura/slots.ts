import type { Cancellation } from "../../cancellation.ts";
import { type Lease, Slots } from "../../cost/slots.ts";
import type { Pace } from "./documents.ts";

/** Time in milliseconds that a request waits for a slot; a slow one waits twice as long. */
const waitTimeout = 5_000;

/** Requests that Hasura works on. It cannot end one, so a slot stays taken; unknown and slow documents leave some for quick ones. */
export class HasuraSlots {
  readonly #size: number;
  readonly #all: Slots;
  readonly #trials: Slots;

  /** @param connections of Hasura to the database; a quarter of them is left to live queries */
  constructor(connections: number) {
    this.#size = Math.max(1, Math.ceil(connections * 0.75));
    this.#all = new Slots(this.#size, waitTimeout);
    this.#trials = new Slots(Math.max(1, Math.floor(this.#size / 2)), waitTimeout);
  }

  get statistics() {
    return { total: this.#size, idle: this.#all.free, waiting: this.#all.waiting + this.#trials.waiting };
  }

  /** Resolves with the function that frees the slot. @throws as {@link Slots.take} does */
  async take(client: string, pace: Pace, signal: Cancellation): Promise<() => void> {
    signal.throwIfAborted();
    const trial: Lease | undefined = pace === "unknown" ? { client } : undefined;
    const lease: Lease = { client, isHeavy: pace === "slow" };
    if (trial !== undefined) await this.#trials.take(trial, signal);
    const free = (): void => {
      this.#all.give(lease);
      if (trial !== undefined) this.#trials.give(trial);
    };
    try {
      // A slot that becomes free just before the client leaves would otherwise never be returned.
      signal.throwIfAborted();
      await this.#all.take(lease, signal);
      signal.throwIfAborted();
    } catch (error) {
      free();
      throw error;
    }
    return free;
  }
}
