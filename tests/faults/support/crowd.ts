import { setTimeout as sleep } from "node:timers/promises";
import type { Outcome, Verdict } from "./answers.ts";
import { ask } from "./ask.ts";
import type { Asker } from "./members.ts";

/** Results of all clients since some moment. */
export interface Account {
  readonly requests: number;
  readonly count: Readonly<Record<Verdict, number>>;
  /** Descriptions of wrong replies and failures, without duplicates. */
  readonly complaints: readonly string[];
  /** Longest duration of a request, in milliseconds. */
  readonly longest: number;
}

/** A client counts as served after this number of consecutive correct answers. */
const steady = 3;

/** Clients that each send one request after another until `stop`. */
export class Crowd {
  private readonly outcomes: Outcome[] = [];
  private readonly inARow = new Map<Asker, { right: number; since: number }>();
  private readonly loops: Promise<void>[];
  private stopped = false;

  constructor(askers: readonly Asker[], pause = 60) {
    this.loops = askers.map((asker) => this.loop(asker, pause));
  }

  /** Results of requests that ended after a moment (`performance.now()`). */
  since(moment: number): Account {
    const outcomes = this.outcomes.filter(({ endedAt }) => endedAt >= moment);
    const count: Record<Verdict, number> = { right: 0, wrong: 0, refused: 0, broken: 0, unreachable: 0 };
    for (const { verdict } of outcomes) count[verdict] += 1;
    const complaints = outcomes
      .filter(({ verdict }) => verdict !== "right" && verdict !== "refused")
      .map(({ verdict, detail }) => `${verdict}: ${detail}`);
    return {
      requests: outcomes.length,
      count,
      complaints: [...new Set(complaints)],
      longest: outcomes.reduce((most, { milliseconds }) => Math.max(most, milliseconds), 0),
    };
  }

  /**
   * Waits until every client has received several consecutive correct answers after this call.
   * @returns milliseconds from this call to the first of those requests of the last client
   * @throws {Error} if that takes longer than `bound` milliseconds
   */
  async served(bound: number): Promise<number> {
    const from = performance.now();
    for (const row of this.inARow.values()) row.right = 0;
    for (;;) {
      const rows = [...this.inARow.values()];
      if (rows.every(({ right }) => right >= steady)) return Math.max(0, ...rows.map(({ since }) => since - from));
      if (performance.now() - from > bound) {
        const last = this.outcomes.slice(-5).map(({ verdict, detail }) => `${verdict} ${detail}`);
        throw new Error(`not every client was served within ${bound} ms; the last outcomes: ${last.join("; ")}`);
      }
      await sleep(50);
    }
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await Promise.all(this.loops);
  }

  private async loop(asker: Asker, pause: number): Promise<void> {
    const row = { right: 0, since: 0 };
    this.inARow.set(asker, row);
    while (!this.stopped) {
      const startedAt = performance.now();
      const outcome = await ask(asker.next());
      this.outcomes.push(outcome);
      if (outcome.verdict !== "right") row.right = 0;
      else {
        if (row.right === 0) row.since = startedAt;
        row.right += 1;
      }
      await sleep(pause);
    }
  }
}
