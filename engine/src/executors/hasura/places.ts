import type { Cancellation } from "../../cancellation.ts";
import { type Claim, FairLine, waitInLine } from "../../postgres/fair-line.ts";
import type { Pace } from "./documents.ts";

/** Time in milliseconds that a request waits for a place; a slow one waits twice as long. */
const waitTimeout = 5_000;

/** A bounded number of places, given to the clients in turn. */
class Line {
  readonly #line: FairLine<() => void>;
  #free: number;

  constructor(size: number) {
    this.#line = new FairLine(size);
    this.#free = size;
  }

  get free(): number {
    return this.#free;
  }

  get waiting(): number {
    return this.#line.length;
  }

  /** @throws EngineError `busy` when no place becomes free in time; the signal's reason when it aborts before */
  async take(claim: Claim, signal: Cancellation): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0 && this.#line.enter(claim)) {
      this.#free -= 1;
      return;
    }
    await waitInLine(this.#line, claim, waitTimeout, signal);
  }

  give(claim: Claim): void {
    this.#line.leave(claim);
    this.#free += 1;
    while (this.#free > 0) {
      const next = this.#line.shift();
      if (next === undefined) return;
      this.#free -= 1;
      next();
    }
  }
}

/**
 * The requests that Hasura works on at the same time. It cannot end a request, so a place stays taken until Hasura has answered, also when
 * the client has left. Quick documents always find a place: unknown ones hold at most half, slow ones a quarter.
 */
export class Places {
  readonly #size: number;
  readonly #all: Line;
  readonly #trials: Line;

  /** @param connections of Hasura to the database; a quarter of them is left to live queries */
  constructor(connections: number) {
    this.#size = Math.max(1, Math.ceil(connections * 0.75));
    this.#all = new Line(this.#size);
    this.#trials = new Line(Math.max(1, Math.floor(this.#size / 2)));
  }

  get statistics() {
    return { total: this.#size, idle: this.#all.free, waiting: this.#all.waiting + this.#trials.waiting };
  }

  /** Resolves with the function that frees the place. @throws as {@link Line.take} */
  async take(client: string, pace: Pace, signal: Cancellation): Promise<() => void> {
    const trial = pace === "unknown" ? await this.#taken(this.#trials, { client }, signal) : undefined;
    try {
      const place = await this.#taken(this.#all, { client, isHeavy: pace === "slow" }, signal);
      return () => {
        place();
        trial?.();
      };
    } catch (error) {
      trial?.();
      throw error;
    }
  }

  async #taken(line: Line, claim: Claim, signal: Cancellation): Promise<() => void> {
    await line.take(claim, signal);
    return () => line.give(claim);
  }
}
