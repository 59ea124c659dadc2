import { slice } from "../postgres/fair-line.ts";

export interface Batch<Item> {
  /** The client of all items; undefined when they belong to several. */
  readonly client: string | undefined;
  /** Queue of the batch: the client's, or the cohort's own. */
  readonly queue: string;
  readonly items: Item[];
}

/**
 * Divides the members of a cohort into statements. Members of all clients share statements, which is cheapest, until such a statement is
 * slow: then each client waits only for its own members, until all statements are quick again.
 */
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
