/** Decides whether a condition selects more or fewer rows than another one. */
import { complement, type Formula, type Literal, orders } from "./formula.ts";

/** `maybe`: not decided. */
type Answer = "yes" | "maybe" | "no";

/** The order of two conditions. `other` has further rows and lacks rows; `unknown` is not decided. */
export type Order = "same" | "wider" | "narrower" | "other" | "unknown";

/** The change from the rows of `old` to those of `now`. */
export function orderOf(old: Formula, now: Formula): Order {
  const [more, fewer] = [canHold([now, complement(old)]), canHold([old, complement(now)])];
  if (more === "no") return fewer === "no" ? "same" : "narrower";
  if (fewer === "no") return "wider";
  return more === "yes" ? "other" : "unknown";
}

const mostSteps = 20_000;

function canHold(formulas: readonly Formula[], budget = { steps: mostSteps }): Answer {
  const search = (open: readonly Formula[], found: readonly Literal[]): Answer => {
    budget.steps -= 1;
    if (budget.steps < 0) return "maybe";
    const literals = [...found];
    const choices: (readonly Formula[])[] = [];
    const pending = [...open];
    for (let formula = pending.pop(); formula !== undefined; formula = pending.pop()) {
      if (!("items" in formula)) literals.push(formula);
      else if (formula.kind === "and") pending.push(...formula.items);
      else choices.push(formula.items);
    }
    const here = areConsistent(literals, budget);
    if (here === "no") return "no";
    const [choice, ...others] = choices.toSorted((one, other) => one.length - other.length);
    if (choice === undefined) return here;
    let best: Answer = "no";
    for (const item of choice) {
      const answer = search([...others.map((items): Formula => ({ kind: "or", items })), item], literals);
      if (answer === "yes") return "yes";
      if (answer === "maybe") best = "maybe";
    }
    return best;
  };
  return search(formulas, []);
}

type Budget = { steps: number };

const least = (answers: readonly Answer[]): Answer =>
  answers.includes("no") ? "no" : answers.includes("maybe") ? "maybe" : "yes";

function areConsistent(literals: readonly Literal[], budget: Budget): Answer {
  const columns = Map.groupBy(
    literals.flatMap((literal) => ("where" in literal ? [] : [literal])),
    ({ column }) => column,
  );
  const compared = new Set(
    literals.flatMap((literal) =>
      literal.kind === "order" && literal.operand.kind === "column" ? [literal.operand.key] : [],
    ),
  );
  const related = Map.groupBy(
    literals.flatMap((literal) => ("where" in literal ? [literal] : [])),
    ({ relation }) => relation,
  );
  return least([
    ...[...columns].map(([column, own]) => isColumnPossible(own, compared.has(column))),
    ...[...related.values()].map((own) => areRowsPossible(own, budget)),
    // A relationship that was defined in another way can lead to the same rows.
    new Set([...related.values()].map(([first]) => first?.name)).size < related.size ? "maybe" : "yes",
  ]);
}

type RowLiteral = Extract<Literal, { readonly where: Formula }>;
type ColumnLiteral = Exclude<Literal, RowLiteral>;

/** Whether related rows can exist as required. Each row that exists meets no condition of `none`. */
function areRowsPossible(literals: readonly RowLiteral[], budget: Budget): Answer {
  const absent = literals.filter(({ kind }) => kind === "none").map(({ where }) => complement(where));
  const present = literals.filter(({ kind }) => kind === "some").map(({ where }) => where);
  if (present.length === 0) return "yes";
  if (literals[0]?.isOne === true) return canHold([...present, ...absent], budget);
  return least(present.map((where) => canHold([where, ...absent], budget)));
}

function isColumnPossible(literals: readonly ColumnLiteral[], isCompared: boolean): Answer {
  const isNull = literals.some((literal) => literal.kind === "null" && literal.isNull);
  const needsValue = isCompared || literals.some((literal) => literal.kind !== "null" || !literal.isNull);
  if (isNull) return needsValue && literals[0]?.column !== "" ? "no" : "yes";
  const facts = new Map<string, boolean>();
  for (const literal of literals) {
    if (literal.kind !== "fact") continue;
    if ((facts.get(literal.text) ?? literal.holds) !== literal.holds) return "no";
    facts.set(literal.text, literal.holds);
  }
  const answer = areOrdersPossible(literals.flatMap((literal) => (literal.kind === "order" ? [literal] : [])));
  // Two predicates without known laws can exclude each other.
  const isPlain = facts.size === 0 || (facts.size === 1 && literals.every(({ kind }) => kind !== "order"));
  return isPlain ? answer : least([answer, "maybe"]);
}

type Comparison = Extract<Literal, { readonly kind: "order" }>;

function areOrdersPossible(comparisons: readonly Comparison[]): Answer {
  const byOperand = new Map<string, Comparison>();
  for (const comparison of comparisons) {
    const key = `${comparison.operand.kind} ${comparison.operand.key}`;
    const accepted = comparison.orders & (byOperand.get(key)?.orders ?? orders.all);
    if (accepted === 0) return "no";
    byOperand.set(key, { ...comparison, orders: accepted });
  }
  const constants = [...byOperand.values()].filter(({ operand }) => operand.kind === "constant");
  if (isNoBoolean(constants)) return "no";
  const answers = constants.flatMap((one, index) => constants.slice(index + 1).map((other) => arePossible(one, other)));
  return least(answers);
}

/** Whether a column with boolean values can have neither of both. */
function isNoBoolean(constants: readonly Comparison[]): boolean {
  const excluded = constants.filter(({ orders: accepted }) => (accepted & orders.equal) === 0);
  return [true, false].every((value) =>
    excluded.some(({ operand }) => operand.kind === "constant" && operand.value === value),
  );
}

/** Whether one value can have the accepted orders to two constants. */
function arePossible(one: Comparison, other: Comparison): Answer {
  const order = orderOfConstants(one.operand, other.operand);
  if (order === undefined) return "maybe";
  // A value below the smaller constant is below both, and so on.
  const [small, large] = order < 0 ? [one, other] : [other, one];
  const places: readonly (readonly [number, number])[] = [
    [orders.less, orders.less],
    [orders.equal, orders.less],
    [orders.greater, orders.less],
    [orders.greater, orders.equal],
    [orders.greater, orders.greater],
  ];
  const isOrdered = Number.isFinite(order);
  const possible = places.some(
    ([toSmall, toLarge]) => (small.orders & toSmall) !== 0 && (large.orders & toLarge) !== 0,
  );
  if (isOrdered) return possible ? "yes" : "no";
  // The order of different texts depends on the collation.
  if (one.orders === orders.equal && other.orders === orders.equal) return "no";
  return [one, other].some(({ orders: accepted }) => accepted === (orders.less | orders.greater)) ? "yes" : "maybe";
}

const plain = (text: string) => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");

/** Negative or positive; infinite for different values without a known order; undefined for values that may be equal. */
function orderOfConstants(one: Comparison["operand"], other: Comparison["operand"]): number | undefined {
  const numbers = [Number(one.key), Number(other.key)] as const;
  if (numbers.every(Number.isFinite)) return numbers[0] - numbers[1];
  if (plain(one.key) === plain(other.key)) return undefined;
  // Dates, intervals and addresses have several texts for one value.
  const isOtherwiseWritten = [one, other].every(({ key }) => /^"[-+\d[({:]/.test(key) && !/^"[0-9a-f]{8}-/i.test(key));
  return isOtherwiseWritten ? undefined : Number.POSITIVE_INFINITY;
}
