import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Operation } from "../document/document.ts";
import type { PreparedPlan } from "./prepared-plan.ts";
import { fingerprint, type VariableValues } from "../document/variables.ts";

/** A parsed operation, and the variables whose values its plans depend on. */
export interface CachedOperation {
  /** Cache key: role, name and text. */
  readonly text: string;
  readonly operation: Operation;
  readonly structural: Set<string>;
  /** Prefix of its plan keys, so that plans with an outdated set of structural variables are not found again. */
  key: string;
}

const cachedBytes = { operations: 24_000_000, plans: 24_000_000 };

/** Maximum bytes per character and per token of a document, as text and as a tree. See docs/reference/cost.md. */
const bytesPerCharacter = 2;
const bytesPerToken = 220;

function bytesOfOperation({ text, operation: { tokens } }: CachedOperation): number {
  return 500 + bytesPerCharacter * text.length + bytesPerToken * tokens;
}

/** Shortens the values of structural variables to a key. */
function shortened(text: string): string {
  return text.length <= 100 ? text : createHash("sha256").update(text).digest("base64url");
}

/** Operations by role, name and text, and their plans, within bounds. Rejected documents are not cached and cost nothing afterwards. */
export class PlanCache {
  readonly #operations: LRUCache<string, CachedOperation>;
  readonly #plans: LRUCache<string, PreparedPlan>;
  /** Not planned yet: the caller first asks for the kind of an operation, then for the plan. */
  #latest: CachedOperation | undefined;
  #lastKey = 0;
  #hits = 0;
  #misses = 0;

  constructor(max: number) {
    this.#operations = new LRUCache({ max, maxSize: cachedBytes.operations, sizeCalculation: bytesOfOperation });
    this.#plans = new LRUCache({
      max,
      maxSize: cachedBytes.plans,
      sizeCalculation: (plan, key) => plan.size + bytesPerCharacter * key.length,
    });
  }

  get statistics() {
    return { size: this.#plans.size, hits: this.#hits, misses: this.#misses };
  }

  #newKey(): string {
    this.#lastKey += 1;
    return `${this.#lastKey} `;
  }

  /** The operation of this text, from the cache or from `read`. `remember` stores it. @throws any error of `read` */
  operation(text: string, read: () => Operation): CachedOperation {
    const known = this.#operations.get(text) ?? (this.#latest?.text === text ? this.#latest : undefined);
    if (known !== undefined) return known;
    this.#latest = { text, operation: read(), structural: new Set(), key: this.#newKey() };
    return this.#latest;
  }

  remember(cached: CachedOperation): void {
    if (this.#latest === cached) this.#latest = undefined;
    this.#operations.set(cached.text, cached);
  }

  /** The plan for these values, cached or from `make`. When its structural variables grow, older plans of the operation are dropped. */
  plan(cached: CachedOperation, values: VariableValues, make: () => PreparedPlan): PreparedPlan {
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
