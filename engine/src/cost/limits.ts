/** Limits of what one operation may cost. 0 is no limit. They are checked in this order, each before the work that it bounds. */
export interface CostLimits {
  /** Tokens of the document, comments included: the work of the parser. */
  readonly maxTokens: number;
  /** Fields, fragments, arguments and values after fragments are spread, also those that a directive leaves out: the work of the planner. */
  readonly maxNodes: number;
  /** Lists of rows within each other: each multiplies the rows of the one around it. */
  readonly maxListNesting: number;
  /** Tables, subqueries and functions of the operation's statements, those of permissions included: the work of Postgres' planner. */
  readonly maxRelations: number;
  /** Parameters, tests for null and values to order by, as often as the statements name them. */
  readonly maxConditions: number;
  /** Values of an answer to introspection, for each type, field, argument and enum value of the role's schema. */
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

/** Deepest nesting of brackets, and of selection sets after fragments are spread. What is recursive here has stack for more. */
export const maxNesting = 500;

/**
 * Characters of one name or number. An alias stands in every row of an answer, and numbers with many digits take more than linear
 * time to read.
 */
export const maxWordLength = 1_000;

export function exceeds(amount: number, limit: number): boolean {
  return limit > 0 && amount > limit;
}
