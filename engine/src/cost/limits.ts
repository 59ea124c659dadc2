import { EngineError } from "../errors.ts";

/** Limits for the cost of one operation. 0 is no limit. They are checked in this order, each before the work that it bounds. */
export interface CostLimits {
  /** Tokens of the document, comments included: bounds the parser's work. */
  readonly maxTokens: number;
  /** Fields, fragments, arguments and values after fragments are spread, also those that a directive excludes: bounds the planner's work. */
  readonly maxNodes: number;
  /** Nested lists of rows: each multiplies the rows of the enclosing list. */
  readonly maxListNesting: number;
  /** Tables, subqueries and functions in the operation's statements, including those of permissions: bounds the work of Postgres' planner. */
  readonly maxRelations: number;
  /** Parameters, null tests and values to order by, counted per occurrence in the statements. */
  readonly maxConditions: number;
  /** Values in an introspection result, per type, field, argument and enum value of the role's schema. */
  readonly maxIntrospection: number;
}

export const defaultCostLimits: CostLimits = {
  maxTokens: 20_000,
  maxNodes: 20_000,
  maxListNesting: 6,
  maxRelations: 200,
  maxConditions: 2_000,
  maxIntrospection: 30,
};

/** Fields of one operation, and nesting of its selection sets. */
export const defaultSizeLimits = { maxDepth: 20, maxBreadth: 1_000 };

export const maxInputDepth = 60;

/** Deepest nesting of brackets, and of selection sets after fragments are spread. The recursive functions here have enough stack for more. */
export const maxNesting = 500;

/** Maximum characters of one name or number: an alias is repeated in every row, and long numbers parse in more than linear time. */
export const maxWordLength = 1_000;

export function exceeds(amount: number, limit: number): boolean {
  return limit > 0 && amount > limit;
}

/** Limit of characters of all values of one statement; Postgres receives a value for each place that uses it. */
const maxCharacters = 2_000_000;

/** @throws EngineError */
export function checkCharacters(count: number): void {
  if (count <= maxCharacters) return;
  const message = `the values of a statement hold more characters than the limit of ${maxCharacters}. Name long variables in fewer places`;
  throw new EngineError({ code: "validation-failed", message });
}

function tooMuch(what: string, limit: number, path = "$"): EngineError {
  const message = `the query ${what} than the limit of ${limit}. Split the query, or ask for less at once`;
  return new EngineError({ code: "validation-failed", path, message });
}

/** Cost of one plan so far. Planning stops at the first exceeded limit, before Postgres receives the statement. */
export class Spending {
  readonly #limits: Omit<CostLimits, "maxTokens">;
  #values = 0;
  #conditions = 0;
  #relations = 0;
  #lists = 0;

  constructor(limits: Omit<CostLimits, "maxTokens">) {
    this.#limits = limits;
  }

  /** Nothing spent yet, with the same limits. */
  afresh(): Spending {
    return new Spending(this.#limits);
  }

  /** Adds keys of objects in arguments in full, and other values as fractions. Variables may contain as many values as a document, in many places. */
  values(count: number, path: string): void {
    this.#values += count;
    const { maxNodes } = this.#limits;
    if (exceeds(this.#values, maxNodes)) throw tooMuch("holds more values in its arguments", maxNodes, path);
  }

  /** Adds a parameter, a null test or a value to order by, for each occurrence in the statements. */
  conditions(count: number): void {
    this.#conditions += count;
    const { maxConditions } = this.#limits;
    if (exceeds(this.#conditions, maxConditions)) throw tooMuch("needs more conditions", maxConditions);
  }

  /** Adds a table, subquery or function call in the statements, including those of permissions. */
  relation(): void {
    this.relations(1);
  }

  relations(count: number): void {
    this.#relations += count;
    const { maxRelations } = this.#limits;
    if (exceeds(this.#relations, maxRelations)) throw tooMuch("needs more tables and subqueries", maxRelations);
  }

  /** Sets the number of lists around a selection. */
  lists(count: number, path = "$"): void {
    this.#lists = count;
    const { maxListNesting } = this.#limits;
    if (exceeds(count, maxListNesting)) throw tooMuch("nests more lists", maxListNesting, path);
  }

  /** Reads the selection on the rows of a list. */
  inList<Result>(path: string, read: () => Result): Result {
    this.lists(this.#lists + 1, path);
    const result = read();
    this.#lists -= 1;
    return result;
  }
}
