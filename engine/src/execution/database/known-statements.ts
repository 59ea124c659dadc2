import { LRUCache } from "lru-cache";

/** Limits of remembered texts: their number and their total characters. */
const mostTexts = 2_000;
const mostCharacters = 8_000_000;

/** Longer statements are planned each time: their prepared plans would take many times their text in each connection. */
const longestPrepared = 16_384;

/** Duration that failures and slower runs count as, in milliseconds. */
const slowest = 1_000;

/** Weight of the earlier average after each run: from the slowest value to 3 ms takes 21 runs. */
const fading = 0.75;

/** Statistics of statements with equal text, which differ only in their parameter values. */
export class KnownStatement {
  /** Name of the prepared statement: set after the first run. */
  name: string | undefined;
  #recent = slowest;

  /** Whether all of its last runs took less than this many milliseconds. */
  isQuickerThan(milliseconds: number): boolean {
    return this.#recent < milliseconds;
  }

  ran(milliseconds: number): void {
    this.#recent = Math.min(Math.max(milliseconds, this.#recent * fading), slowest);
  }

  failed(): void {
    this.#recent = slowest;
  }
}

export class KnownStatements {
  readonly #statements = new LRUCache<string, KnownStatement>({
    max: mostTexts,
    maxSize: mostCharacters,
    sizeCalculation: (_known, text) => text.length + 1,
  });
  #lastName = 0;

  of(text: string): KnownStatement | undefined {
    return this.#statements.get(text);
  }

  /** Statistics for the next run. */
  use(text: string): KnownStatement {
    const known = this.#statements.get(text);
    if (known === undefined) {
      const first = new KnownStatement();
      this.#statements.set(text, first);
      return first;
    }
    if (known.name === undefined && text.length <= longestPrepared) {
      this.#lastName += 1;
      known.name = `rq${this.#lastName}`;
    }
    return known;
  }
}
