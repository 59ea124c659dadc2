import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Operation } from "./document.ts";
import type { PreparedPlan } from "./prepared-plan.ts";
import { fingerprint } from "./variables.ts";

type Values = Readonly<Record<string, unknown>>;

/** A parsed operation, and the variables of which its plans depend on the values. */
export interface CachedOperation {
  /** Role, name and text, by which it is found. */
  readonly text: string;
  readonly operation: Operation;
  readonly structural: Set<string>;
  /** Stands in the keys of its plans, so that plans from before the structure was known better are not found again. */
  key: string;
}

/** Bytes of documents, and of plans, that the cache holds. */
const cachedBytes = { operations: 24_000_000, plans: 24_000_000 };

/** Bytes that a character and a token of a document take at most, as text and as a tree. See docs/reference/cost.md. */
const bytesPerCharacter = 2;
const bytesPerToken = 220;

function bytesOfOperation({ text, operation: { tokens } }: CachedOperation): number {
  return 500 + bytesPerCharacter * text.length + bytesPerToken * tokens;
}

/** What variables make of a plan, short enough for a key. */
function shortened(text: string): string {
  return text.length <= 100 ? text : createHash("sha256").update(text).digest("base64url");
}

/**
 * Operations by role, name and text, and their plans; bounded in number and in bytes. Only what could be planned is kept: documents
 * that are refused cost nothing afterwards.
 */
export class PlanCache {
  readonly #operations: LRUCache<string, CachedOperation>;
  readonly #plans: LRUCache<string, PreparedPlan>;
  /** Not planned yet: first the kind of an operation is asked for, then the plan. */
  #latest: CachedOperation | undefined;
  #lastKey = 0;
  #hits = 0;
  #misses = 0;

  constructor(max: number) {
    this.#operations = new LRUCache({ max, maxSize: cachedBytes.operations, sizeCalculation: bytesOfOperation });
    this.#plans = new LRUCache({ max, maxSize: cachedBytes.plans, sizeCalculation: (plan, key) => plan.size + bytesPerCharacter * key.length });
  }

  get statistics() {
    return { size: this.#plans.size, hits: this.#hits, misses: this.#misses };
  }

  #newKey(): string {
    this.#lastKey += 1;
    return `${this.#lastKey} `;
  }

  /** The operation of this text, read when it is not known. It is kept once it is `remember`ed. @throws what `read` throws */
  operation(text: string, read: () => Operation): CachedOperation {
    const known = this.#operations.get(text) ?? (this.#latest?.text === text ? this.#latest : undefined);
    if (known !== undefined) return known;
    this.#latest = { text, operation: read(), structural: new Set(), key: this.#newKey() };
    return this.#latest;
  }

  /** Keeps an operation that was planned. */
  remember(cached: CachedOperation): void {
    if (this.#latest === cached) this.#latest = undefined;
    this.#operations.set(cached.text, cached);
  }

  /**
   * The plan for these values of the variables, made when it is not known. While it is made, `structural` learns which variables
   * it depends on; when that is more than was known, older plans of the operation are given up.
   * @throws what `make` throws
   */
  plan(cached: CachedOperation, values: Values, make: () => PreparedPlan): PreparedPlan {
    const { structural } = cached;
    const known = this.#plans.get(cached.key + shortened(fingerprint(structural, values)));
    if (known !== undefined) {
      this.#hits += 1;
      return known;
    }
    this.#misses += 1;
    const before = structural.size;
    const plan = make();
    if (structural.size !== before) cached.key = this.#newKey();
    this.remember(cached);
    this.#plans.set(cached.key + shortened(fingerprint(structural, values)), plan);
    return plan;
  }

  clear(): void {
    this.#latest = undefined;
    this.#operations.clear();
    this.#plans.clear();
  }
}
