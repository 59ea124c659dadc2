import { EngineError } from "../errors.ts";
import { exceeds, type CostLimits } from "./limits.ts";

function tooMuch(what: string, limit: number, path = "$"): EngineError {
  return new EngineError({
    code: "validation-failed",
    path,
    message: `the query ${what} than the limit of ${limit}. Split the query, or ask for less at once`,
  });
}

/**
 * Cost of one operation's plan so far. Planning stops at the first exceeded limit, so the planner's own work is bounded too, and Postgres
 * never receives the statement.
 */
export class Spending {
  readonly #limits: Omit<CostLimits, "maxTokens">;
  #values = 0;
  #conditions = 0;
  #relations = 0;
  #lists = 0;

  constructor(limits: Omit<CostLimits, "maxTokens">) {
    this.#limits = limits;
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
    this.#relations += 1;
    const { maxRelations } = this.#limits;
    if (exceeds(this.#relations, maxRelations)) throw tooMuch("needs more tables and subqueries", maxRelations);
  }

  /** Reads the selection on the rows of a list. */
  inList<Result>(path: string, read: () => Result): Result {
    this.#lists += 1;
    const { maxListNesting } = this.#limits;
    if (exceeds(this.#lists, maxListNesting)) throw tooMuch("nests more lists", maxListNesting, path);
    const result = read();
    this.#lists -= 1;
    return result;
  }
}
