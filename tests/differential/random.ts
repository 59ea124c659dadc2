import { randomBits } from "../harness/random.ts";

/** Reproducible choices. */
export class Random {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = randomBits(seed);
  }

  /** From 0 up to, not including, `limit`. */
  below(limit: number): number {
    return this.#next() % limit;
  }

  chance(percent: number): boolean {
    return this.below(100) < percent;
  }

  one<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined && items.length === 0) throw new Error("nothing to choose from");
    return item as Item;
  }

  /** Some of the items, in random order. */
  some<Item>(items: readonly Item[], most: number): readonly Item[] {
    const rest = [...items];
    const count = Math.min(rest.length, 1 + this.below(most));
    return Array.from({ length: count }, () => rest.splice(this.below(rest.length), 1)[0] as Item);
  }
}
