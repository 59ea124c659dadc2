import type { Cancellation } from "../cancellation.ts";
import { type Lease, type Slots, slice } from "../cost/slots.ts";
import type { Engine, PollAnswer } from "../engine.ts";
import { errorReply, toEngineError } from "../errors.ts";
import type { Listener } from "../executor.ts";
import type { Pace } from "./rounds.ts";

/** Settings and resources that the cohorts of one engine share. */
export interface Polling extends Pace {
  readonly engine: Pick<Engine, "poll" | "release" | "observe">;
  /** Members per statement. */
  readonly batchSize: number;
  /** Bounds the number of concurrent polls, so that queries find a connection. */
  readonly slots: Slots;
  readonly onPoll: (seconds: number) => void;
  readonly onError: (error: ReturnType<typeof toEngineError>) => void;
}

/** Polls each group at its turn. A slow poll loses its slot but continues: the connection pool then decides between it and the others. */
export async function pollGroups<Item>(
  { slots }: Pick<Polling, "slots">,
  groups: readonly Batch<Item>[],
  poll: (batch: Batch<Item>) => Promise<void>,
): Promise<void> {
  const pollInTurn = async (batch: Batch<Item>): Promise<void> => {
    const lease: Lease = { client: batch.queue };
    await slots.take(lease);
    lease.preempt = () => slots.give(lease);
    try {
      await poll(batch);
    } finally {
      lease.preempt = undefined;
      if (lease.isPreempted !== true) slots.give(lease);
    }
  };
  await Promise.all(groups.map(pollInTurn));
}

/** Answers of one batch, in order. If the statement fails as a whole, each member gets that failure. None after cancellation. */
export async function pollBatch(
  polling: Polling,
  cohortKey: string,
  parameters: readonly (readonly unknown[])[],
  options: {
    readonly signal: Cancellation;
    readonly client: string | undefined;
    readonly took: (milliseconds: number) => void;
  },
): Promise<readonly PollAnswer[]> {
  const start = performance.now();
  try {
    return await polling.engine.poll(cohortKey, parameters, { signal: options.signal, client: options.client });
  } catch (thrown) {
    if (options.signal.aborted) return [];
    const error = toEngineError(thrown);
    polling.onError(error);
    const text = errorReply(error);
    const overload = error.code === "busy" ? { overload: error } : {};
    const mayPass = error.code === "busy" || error.reason === "database";
    return parameters.map(() => ({ text, failed: true, empty: false, mayPass, ...overload }));
  } finally {
    const milliseconds = performance.now() - start;
    polling.onPoll(milliseconds / 1000);
    options.took(milliseconds);
  }
}

/** Answers new subscribers without waiting for the next round, those of one event-loop turn together; one poll waits at most. */
export class Newcomers<Item> {
  readonly #poll: (items: readonly Item[]) => Promise<void>;
  #waiting: Item[] = [];
  #isAnswering = false;

  constructor(poll: (items: readonly Item[]) => Promise<void>) {
    this.#poll = poll;
  }

  add(item: Item): void {
    this.#waiting.push(item);
    if (!this.#isAnswering) void this.#answer();
  }

  async #answer(): Promise<void> {
    this.#isAnswering = true;
    await new Promise((proceed) => setImmediate(proceed));
    while (this.#waiting.length > 0) await this.#poll(this.#waiting.splice(0));
    this.#isAnswering = false;
  }
}

interface Batch<Item> {
  /** The client of all items; undefined when they belong to several. */
  readonly client: string | undefined;
  /** Queue of the batch: the client's, or the cohort's own. */
  readonly queue: string;
  readonly items: Item[];
}

/** Divides a cohort into statements for members of all clients; while one is slow, each client waits only for its own members. */
export class CohortBatches<Item> {
  readonly #key: string;
  readonly #size: number;
  readonly #clientOf: (item: Item) => string;
  #isDivided = false;
  /** Whether a statement of the current division was slow. */
  #wasSlow = false;

  /** @param size maximum number of members per statement */
  constructor(key: string, size: number, clientOf: (item: Item) => string) {
    this.#key = key;
    this.#size = size;
    this.#clientOf = clientOf;
  }

  of(items: readonly Item[]): Batch<Item>[] {
    this.#isDivided = this.#wasSlow;
    this.#wasSlow = false;
    if (!this.#isDivided) return this.#cut(items);
    return [...Map.groupBy(items, this.#clientOf).values()].flatMap((own) => this.#cut(own));
  }

  /** Records the duration of a statement in milliseconds. A slow statement of one client delays no other client, so it divides nothing. */
  took(milliseconds: number, client: string | undefined): void {
    if (milliseconds > slice && (client === undefined || this.#isDivided)) this.#wasSlow = true;
  }

  #cut(items: readonly Item[]): Batch<Item>[] {
    const result: Batch<Item>[] = [];
    for (let start = 0; start < items.length; start += this.#size) {
      const batch = items.slice(start, start + this.#size);
      const [first] = batch;
      const one = first === undefined ? undefined : this.#clientOf(first);
      const client = batch.every((item) => this.#clientOf(item) === one) ? one : undefined;
      result.push({ client, queue: client ?? `cohort ${this.#key}`, items: batch });
    }
    return result;
  }
}

/** Consecutive polls that may fail for a reason that passes, such as the restart of the database. */
const mostPassing = 5;

/** Counts the consecutive polls of a member that failed for a reason that passes. */
export class PassingFailures {
  #count = 0;
  /** Those of them in a row that the engine was too busy for. */
  #overloads = 0;

  /** Whether an answer is to be skipped: the client keeps its rows, and the next poll may succeed. A first answer says at once that the database is lost. */
  skips({ mayPass, overload }: PollAnswer, isFirst: boolean): boolean {
    this.#count = mayPass === true ? this.#count + 1 : 0;
    this.#overloads = overload === undefined ? 0 : this.#overloads + 1;
    // A database that returns may find the engine busy, which must not end the subscription at once.
    if (overload !== undefined) return this.#overloads <= mostPassing;
    return mayPass === true && this.#count <= mostPassing && !isFirst;
  }
}

/**
 * Delivers a poll's answer to a listener. As in Hasura, a subscription that fails through its own fault in the first poll never starts. One that the
 * engine is too busy for ends with that error, which is not a result without data.
 */
export function handOver(listener: Listener, answer: PollAnswer, isFirst: boolean): void {
  if (answer.overload !== undefined) listener.refuse(answer.overload);
  else if (isFirst && answer.fault !== undefined) listener.refuse(answer.fault);
  else listener.deliver(answer);
}
