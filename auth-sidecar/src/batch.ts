import { Unavailable } from "./errors.ts";

export interface BatchOptions {
  /** Most items of one load. */
  readonly size?: number;
  /** Loads that run at one time; items that arrive meanwhile share the next one. */
  readonly concurrency?: number;
  /** What {@link Unavailable} names when too many wait. */
  readonly part?: string;
  /** Items that may wait; more are refused with {@link Unavailable}. */
  readonly waiting?: number;
}

/** Two statements at a time: fewer are shared by more items, and one that hangs does not stop them all. */
export const sharedWidely: BatchOptions = { concurrency: 2 };

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** Turns a function of many items into one of a single item that shares a statement with those asked for meanwhile. */
export function batch<Item, Result>(
  load: (items: readonly Item[]) => Promise<readonly Result[]>,
  { size = 200, concurrency = 4, waiting = 5000, part = "database" }: BatchOptions = {},
): (item: Item) => Promise<Result> {
  const queue: Waiting<Item, Result>[] = [];
  let running = 0;

  async function run(): Promise<void> {
    while (queue.length > 0) {
      const members = queue.splice(0, size);
      try {
        const results = await load(members.map(({ item }) => item));
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

  return (item) => {
    if (queue.length >= waiting) return Promise.reject(new Unavailable(part, new Error("too many wait to share a load")));
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    queue.push({ item, resolve, reject });
    setImmediate(start);
    return promise;
  };
}
