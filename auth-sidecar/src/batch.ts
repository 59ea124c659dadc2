import { inCurrentSpan, withoutSpan } from "@routeql/tracing/span";
import { Unavailable } from "./errors.ts";

export interface BatchOptions {
  /** Maximum items of one load. */
  readonly size?: number;
  /** Concurrent loads; items that arrive meanwhile share the next one. */
  readonly concurrency?: number;
  /** The service that {@link Unavailable} names when too many items wait. */
  readonly part?: "database" | "sessions";
  /** Name of the load in the spans of requests that wait for it. */
  readonly name?: string;
  /** Items that may wait; further ones are rejected with {@link Unavailable}. */
  readonly waiting?: number;
}

/** Two concurrent statements: with fewer, more items share one; with one alone, a slow one would stop all. */
export const sharedWidely: BatchOptions = { concurrency: 2 };

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** Turns a function of many items into a function of one item; concurrent calls share a statement. */
export function batch<Item, Result>(
  load: (items: readonly Item[]) => Promise<readonly Result[]>,
  { size = 200, concurrency = 4, waiting = 5000, part = "database", name = part }: BatchOptions = {},
): (item: Item) => Promise<Result> {
  const queue: Waiting<Item, Result>[] = [];
  const attributes = { "db.system.name": part === "sessions" ? "redis" : "postgresql", "routeql.shared": true };
  let running = 0;

  async function run(): Promise<void> {
    while (queue.length > 0) {
      const members = queue.splice(0, size);
      try {
        const results = await withoutSpan(() => load(members.map(({ item }) => item)));
        for (const [index, member] of members.entries()) member.resolve(results[index] as Result);
      } catch (error) {
        for (const member of members) member.reject(error);
      }
    }
  }

  function start(): void {
    if (running >= concurrency || queue.length === 0) return;
    running++;
    void run().finally(() => {
      running--;
    });
  }

  function enqueue(item: Item): Promise<Result> {
    if (queue.length >= waiting)
      return Promise.reject(new Unavailable(part, new Error("too many wait to share a load")));
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    queue.push({ item, resolve, reject });
    setImmediate(start);
    return promise;
  }

  return (item) => inCurrentSpan(name, "client", attributes, () => enqueue(item));
}
