import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Operation } from "./document.ts";
import type { PreparedPlan } from "./prepared-plan.ts";
import { fingerprint } from "./variables.ts";

type Values = Readonly<Record<string, unknown>>;

/** A parsed operation, and the variables of which its plans depend on the values. */
export interface CachedOperation {
  readonly operation: Operation;
  readonly structural: Set<string>;
  /** Stands in the keys of its plans, so that plans from before the structure was known better are not found again. */
  key: string;
}

/** Characters of documents, and of plans, that the caches hold together: long ones must not fill the memory. */
const cachedCharacters = 20_000_000;

/** What variables make of a plan, short enough for a key. */
function shortened(text: string): string {
  return text.length <= 100 ? text : createHash("sha256").update(text).digest("base64url");
}

/** Operations by role, name and text, and their plans; bounded in number and in length. */
export class PlanCache {
  readonly #operations: LRUCache<string, CachedOperation>;
  readonly #plans: LRUCache<string, PreparedPlan>;
  #lastKey = 0;
  #hits = 0;
  #misses = 0;

  constructor(max: number) {
    this.#operations = new LRUCache({ max, maxSize: cachedCharacters, sizeCalculation: (_operation, key) => key.length + 1 });
    this.#plans = new LRUCache({ max, maxSize: cachedCharacters, sizeCalculation: (plan) => plan.size });
  }

  get statistics() {
    return { size: this.#plans.size, hits: this.#hits, misses: this.#misses };
  }

  #newKey(): string {
    this.#lastKey += 1;
    return `${this.#lastKey} `;
  }

  /** The operation of this text, read when it is not known. @throws what `read` throws */
  operation(text: string, read: () => Operation): CachedOperation {
    const known = this.#operations.get(text);
    if (known !== undefined) return known;
    const cached = { operation: read(), structural: new Set<string>(), key: this.#newKey() };
    this.#operations.set(text, cached);
    return cached;
  }

  /**
   * The plan for these values of the variables, made when it is not known. While it is made, `structural` learns which variables
   * it depends on; when that is more than was known, older plans of the operation are given up.
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
    this.#plans.set(cached.key + shortened(fingerprint(structural, values)), plan);
    return plan;
  }

  clear(): void {
    this.#operations.clear();
    this.#plans.clear();
  }
}
