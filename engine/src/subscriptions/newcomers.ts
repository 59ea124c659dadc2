/**
 * Answers new subscribers without waiting for the next round. Those that arrive in one event-loop turn are answered together, and those
 * that arrive meanwhile together afterwards. At most one of their polls waits for its turn, for any number of arrivals.
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
