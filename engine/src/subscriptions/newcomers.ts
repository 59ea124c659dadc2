/**
 * Answers newcomers without waiting for the next round: those who come in one round of events together, and those who come while
 * these are answered together after them. However many come, one poll of them waits for its turn at a time.
 */
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
