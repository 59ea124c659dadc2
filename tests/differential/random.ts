/** Reproducible choices (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to, not including, `limit`. */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
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
