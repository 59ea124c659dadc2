import { LRUCache } from "lru-cache";
import type { GraphQLRequest } from "../../engine.ts";
import { invalid } from "../../errors.ts";
import { type Operation, readOperation } from "../../execution/document/document.ts";
import { type AcceptedCost, checkCost, checkSize, type SizeLimits } from "./document-cost.ts";

/** Expected duration of a client's run of a document, which decides its place. */
export type Pace = "quick" | "unknown" | "slow";

/** Runs below this many milliseconds are quick. */
const quick = 400;

/** Slow runs after each other that make a document slow for a client. One alone may be the fault of the machine. */
const slowRuns = 2;

/** Answers that may have more rows (nested lists without `limit`) count as slow until as many were quick: Hasura holds each in memory. */
const manyRows = 20_000;

/** Clients remembered for each document. */
const mostSlowClients = 100;

/** A document that passed the checks which do not depend on its variables, and what is known about its runs. */
export class KnownDocument {
  readonly operation: Operation;
  /** Role, name and text. */
  readonly key: string;
  /** At the last check. */
  cost: AcceptedCost = { values: 0, rows: 0 };
  /** Settles when a live query that measures `pollTime` has ended; absent when none runs. */
  trial: Promise<void> | undefined;
  /** Milliseconds until the first answer of its live query. */
  pollTime: number | undefined;
  /** Most rows of a quick run; absent before the first one. */
  #quickRows: number | undefined;
  /** Slow runs after each other, by client: the values of its variables make a document slow for one client only. */
  readonly #slowRuns = new LRUCache<string, number>({ max: mostSlowClients });

  constructor(operation: Operation, key: string) {
    this.operation = operation;
    this.key = key;
  }

  /** @param rows most rows of the answer */
  paceFor(client: string, rows: number): Pace {
    const isLarge = rows > Math.max(manyRows, this.#quickRows ?? 0);
    if (isLarge || (this.#slowRuns.get(client) ?? 0) >= slowRuns) return "slow";
    return this.#quickRows === undefined ? "unknown" : "quick";
  }

  /** @param rows as in {@link paceFor} */
  ran(client: string, milliseconds: number, rows: number): void {
    if (milliseconds > quick) this.#slowRuns.set(client, (this.#slowRuns.get(client) ?? 0) + 1);
    else {
      this.#quickRows = Math.max(rows, this.#quickRows ?? 0);
      this.#slowRuns.delete(client);
    }
  }
}

/** Limits of remembered documents: their number, and their bytes as text and as a tree (docs/reference/cost.md). */
const mostDocuments = 1_000;
const mostBytes = 12_000_000;
const bytesOf = ({ operation: { tokens }, key }: KnownDocument): number => 500 + 2 * key.length + 220 * tokens;

export interface DocumentsOptions extends SizeLimits {
  /** Longest query text in UTF-16 units. */
  readonly maxQueryLength: number;
}

/** Reads documents, each text once, and checks the limits that need no schema. */
export class Documents {
  readonly #options: DocumentsOptions;
  readonly #known = new LRUCache<string, KnownDocument>({
    max: mostDocuments,
    maxSize: mostBytes,
    sizeCalculation: bytesOf,
  });
  /** Read, but not checked yet: the caller asks for the kind of an operation first. */
  #latest: KnownDocument | undefined;
  #hits = 0;
  #misses = 0;

  constructor(options: DocumentsOptions) {
    this.#options = options;
  }

  get statistics() {
    return { size: this.#known.size, hits: this.#hits, misses: this.#misses };
  }

  /** @param role the same text costs more as another role. @throws EngineError */
  read({ query, operationName }: GraphQLRequest, role: string): KnownDocument {
    const limits = this.#options;
    if (query.length > limits.maxQueryLength)
      throw invalid(`the query is longer than the limit of ${limits.maxQueryLength} characters`, "$.query");
    const key = `${role.length} ${role}${operationName ?? ""}\n${query}`;
    const known = this.#known.get(key) ?? (this.#latest?.key === key ? this.#latest : undefined);
    if (known !== undefined) return known;
    const operation = readOperation(query, operationName, limits);
    checkSize(operation, limits);
    this.#latest = new KnownDocument(operation, key);
    return this.#latest;
  }

  /** Checks the cost with these variables. Only now the document is kept: rejected ones are not. @throws EngineError */
  check(document: KnownDocument, { variables }: GraphQLRequest, role: string): AcceptedCost {
    const { operation, key } = document;
    if (document === this.#latest) this.#misses += 1;
    else {
      this.#hits += 1;
      // Without variables the cost is always the same.
      if (operation.variables.size === 0) return document.cost;
    }
    document.cost = checkCost(operation, variables ?? {}, role, this.#options);
    if (document === this.#latest) {
      this.#latest = undefined;
      this.#known.set(key, document);
    }
    return document.cost;
  }
}
