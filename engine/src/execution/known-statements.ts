import { LRUCache } from "lru-cache";

/** Texts that are remembered, and the characters of all of them. */
const mostTexts = 2_000;
const mostCharacters = 8_000_000;

/** Longer statements are planned each time: each connection would hold their plans, which take many times the text. */
const longestPrepared = 16_384;

/** What a failure counts for, and all that is slower; milliseconds. */
const slowest = 1_000;

/** How much of an earlier time still counts after each later run: from the slowest to 3 ms it takes 21 of them. */
const fading = 0.75;

/** What is known of the statements of one text, which differ in nothing but the values of their parameters. */
export class KnownStatement {
  /** Under which it is prepared: what ran once already is prepared from then on. */
  name: string | undefined;
  #recent = slowest;

  /** Whether its last runs all took less than these milliseconds. */
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

/** The statements of one source, by their texts. */
export class KnownStatements {
  readonly #statements = new LRUCache<string, KnownStatement>({ max: mostTexts, maxSize: mostCharacters, sizeCalculation: (_known, text) => text.length + 1 });
  #lastName = 0;

  of(text: string): KnownStatement | undefined {
    return this.#statements.get(text);
  }

  /** For a run that is about to be. */
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
