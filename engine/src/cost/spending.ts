import { EngineError } from "../errors.ts";
import { exceeds, type CostLimits } from "./limits.ts";

function tooMuch(what: string, limit: number, path = "$"): EngineError {
  return new EngineError({ code: "validation-failed", path, message: `the query ${what} than the limit of ${limit}. Split the query, or ask for less at once` });
}

/**
 * What the plan of one operation has cost so far. Planning stops at the first limit that is passed, so that its own work is
 * bounded, too, and Postgres never sees the statement.
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

  /** Keys of objects in arguments; the rest as parts of them. Variables may hold as many as a document, and stand in many places. */
  values(count: number, path: string): void {
    this.#values += count;
    const { maxNodes } = this.#limits;
    if (exceeds(this.#values, maxNodes)) throw tooMuch("holds more values in its arguments", maxNodes, path);
  }

  /** A parameter, a test for null or a value to order by, as often as the statements name it. */
  conditions(count: number): void {
    this.#conditions += count;
    const { maxConditions } = this.#limits;
    if (exceeds(this.#conditions, maxConditions)) throw tooMuch("needs more conditions", maxConditions);
  }

  /** A table, subquery or function call in the statements, those of permissions included. */
  relation(): void {
    this.#relations += 1;
    const { maxRelations } = this.#limits;
    if (exceeds(this.#relations, maxRelations)) throw tooMuch("needs more tables and subqueries", maxRelations);
  }

  /** Reads what is selected of the rows of a list. */
  inList<Result>(path: string, read: () => Result): Result {
    this.#lists += 1;
    const { maxListNesting } = this.#limits;
    if (exceeds(this.#lists, maxListNesting)) throw tooMuch("nests more lists", maxListNesting, path);
    const result = read();
    this.#lists -= 1;
    return result;
  }
}
