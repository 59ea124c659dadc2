import type { LiveQuery } from "../engine.ts";
import type { Listener, Subscription } from "../executor.ts";
import { CohortBatches, handOver, Newcomers, PassingFailures, pollBatch, pollGroups, type Polling } from "./polling.ts";
import { type Outcome, Rounds } from "./rounds.ts";

interface Reader {
  readonly listener: Listener;
  readonly client: string;
  /** Contains the cursor; advanced by each answer. */
  parameters: readonly unknown[];
  lastError: string | undefined;
  isPolled: boolean;
  /** The last answer had rows, and more may follow. */
  isBehind: boolean;
  waitsForFirst: boolean;
  readonly failures: PassingFailures;
}

/** All readers of one stream statement; readers with equal cursors share a member. A reader that is not ready is skipped meanwhile. */
export class StreamCohort {
  readonly #key: string;
  readonly #polling: Polling;
  readonly #onEmpty: () => void;
  readonly #readers = new Set<Reader>();
  readonly #rounds: Rounds;
  /** The first reader at a cursor represents the others. */
  readonly #batches: CohortBatches<readonly Reader[]>;
  readonly #fresh = new Newcomers<Reader>(async (readers) => {
    const { unfinished } = await this.#poll(readers);
    if (unfinished) this.#rounds.again();
  });

  constructor(key: string, polling: Polling, onEmpty: () => void) {
    this.#key = key;
    this.#polling = polling;
    this.#onEmpty = onEmpty;
    this.#batches = new CohortBatches(key, polling.batchSize, ([first]) => first?.client ?? "");
    this.#rounds = new Rounds(polling, key, () => this.#poll([...this.#readers]));
  }

  get members(): number {
    return this.#readers.size;
  }

  get subscribers(): number {
    return this.#readers.size;
  }

  subscribe({ parameters, client }: Pick<LiveQuery, "parameters" | "client">, listener: Listener): Subscription {
    const reader: Reader = {
      listener,
      client,
      parameters,
      lastError: undefined,
      isPolled: false,
      isBehind: true,
      waitsForFirst: true,
      failures: new PassingFailures(),
    };
    this.#readers.add(reader);
    this.#fresh.add(reader);
    return { stop: () => this.#leave(reader) };
  }

  stop(): void {
    this.#rounds.stop();
    this.#readers.clear();
  }

  #leave(reader: Reader): void {
    if (!this.#readers.delete(reader) || this.#readers.size > 0 || this.#rounds.isStopped) return;
    this.stop();
    this.#onEmpty();
  }

  /** A reader is in one poll at a time: two from the same cursor would deliver rows twice. */
  async #poll(readers: readonly Reader[]): Promise<Outcome> {
    const outcome = { changed: false, unfinished: false };
    const atCursor = new Map<string, Reader[]>();
    for (const reader of readers) {
      if (!this.#readers.has(reader)) continue;
      if (reader.isPolled || !reader.listener.isReady()) {
        outcome.unfinished = true;
        continue;
      }
      reader.isPolled = true;
      const cursor = JSON.stringify(reader.parameters);
      const sharing = atCursor.get(cursor);
      if (sharing === undefined) atCursor.set(cursor, [reader]);
      else sharing.push(reader);
    }
    const groups = this.#batches.of([...atCursor.values()]);
    await pollGroups(this.#polling, groups, ({ items, client }) => this.#pollBatch(items, client, outcome));
    return outcome;
  }

  /** Readers that left while the batch waited are not polled: with many short-lived readers they would delay the others. */
  async #pollBatch(
    waited: readonly (readonly Reader[])[],
    client: string | undefined,
    outcome: Outcome,
  ): Promise<void> {
    const batch = waited
      .map((sharing) => sharing.filter((reader) => this.#readers.has(reader)))
      .filter(({ length }) => length > 0);
    if (batch.length === 0) return;
    const parameters = batch.map(([first]) => first?.parameters ?? []);
    const took = (milliseconds: number): void => {
      this.#batches.took(milliseconds, client);
      this.#rounds.took(milliseconds);
    };
    const { signal } = this.#rounds;
    const answers = await pollBatch(this.#polling, this.#key, parameters, { signal, client, took });
    for (const [index, sharing] of batch.entries()) {
      const answer = answers[index];
      for (const reader of sharing) {
        reader.isPolled = false;
        // There may be more rows after a batch.
        if (answer === undefined || answer.failed || !answer.empty) outcome.unfinished = true;
        if (answer === undefined || !this.#readers.has(reader) || reader.failures.skips(answer, reader.waitsForFirst))
          continue;
        const isFirst = reader.waitsForFirst;
        reader.waitsForFirst = false;
        const wasBehind = reader.isBehind;
        reader.isBehind = !answer.empty;
        if (answer.empty) continue;
        if (!isFirst && !answer.failed && !wasBehind) outcome.changed = true;
        const isRepeatedError = answer.failed && reader.lastError === answer.text;
        reader.lastError = answer.failed ? answer.text : undefined;
        if (answer.nextParameters !== undefined) reader.parameters = answer.nextParameters;
        if (!isRepeatedError) handOver(reader.listener, answer, isFirst);
      }
    }
  }
}
