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

/** Deepest nesting of brackets, and of selection sets after fragments are spread. The recursive functions here have enough stack for more. */
export const maxNesting = 500;

/**
 * Maximum length of one name or number, in characters. An alias is repeated in every row of a result, and long numbers take more than
 * linear time to parse.
 */
export const maxWordLength = 1_000;

export function exceeds(amount: number, limit: number): boolean {
  return limit > 0 && amount > limit;
}
