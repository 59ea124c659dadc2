import { isDeepStrictEqual } from "node:util";
import { redacted } from "../findings/secret-texts.ts";
import type { Formula } from "./formula.ts";

const signs: Readonly<Record<number, string>> = { 1: "<", 2: "=", 3: "<=", 4: ">", 5: "<>", 6: ">=" };

/** A formula in words, such as `owner_id = x-hasura-user-id and not (note.deleted = true)`. */
export function formulaWords(formula: Formula): string {
  if ("items" in formula) {
    if (formula.items.length === 0) return formula.kind === "and" ? "true" : "false";
    return formula.items.map(inParentheses).join(` ${formula.kind} `);
  }
  if ("where" in formula) {
    const isAny = "items" in formula.where && formula.where.items.length === 0;
    const row = `${formula.kind === "some" ? "a" : "no"} ${formula.name}`;
    return isAny ? row : `${row} with ${inParentheses(formula.where)}`;
  }
  const { column } = formula;
  if (formula.kind === "order") return `${column} ${signs[formula.orders] ?? "?"} ${formula.operand.key}`;
  if (formula.kind === "null") return `${column} is ${formula.isNull ? "" : "not "}null`;
  return `${formula.holds ? "" : "not "}${column} ${formula.text}`.replace(/ {2,}/, " ").trim();
}

const inParentheses = (formula: Formula): string =>
  "items" in formula && formula.items.length > 0 ? `(${formulaWords(formula)})` : formulaWords(formula);

const partsOf = (formula: Formula, kind: "and" | "or"): readonly Formula[] =>
  "items" in formula && formula.kind === kind ? formula.items : [formula];

const without = (items: readonly Formula[], others: readonly Formula[]) =>
  items.filter((item) => !others.some((other) => isDeepStrictEqual(other, item)));

const mostCharacters = 160;
const short = (text: string) => shortened(redacted(text));
const shortened = (text: string) => (text.length <= mostCharacters ? text : `${text.slice(0, mostCharacters - 3)}...`);

/** The parts of two conditions that differ, in words. */
export function changedParts(old: Formula, now: Formula): string {
  const [gone, added] = [
    without(partsOf(old, "and"), partsOf(now, "and")),
    without(partsOf(now, "and"), partsOf(old, "and")),
  ];
  const [before, after] = [gone[0], added[0]];
  if (gone.length === 1 && added.length === 1 && before !== undefined && after !== undefined) {
    if (before.kind === "or" || after.kind === "or") {
      const [left, right] = [partsOf(before, "or"), partsOf(after, "or")];
      const said = [
        ...without(right, left).map((item) => `\`${short(formulaWords(item))}\` is now an alternative`),
        ...without(left, right).map((item) => `\`${short(formulaWords(item))}\` is no longer an alternative`),
      ];
      if (left.length + right.length > without(left, right).length + without(right, left).length)
        return said.join("; ");
    }
    if ("where" in before && "where" in after && before.kind === after.kind && before.name === after.name) {
      const isRedefined = before.relation !== after.relation;
      if (isRedefined && isDeepStrictEqual(before.where, after.where))
        return `${before.name} is defined in another way`;
      return `in ${before.name}${isRedefined ? ", which is defined in another way" : ""}: ${changedParts(before.where, after.where)}`;
    }
  }
  return [
    ...gone.map((item) => `\`${short(formulaWords(item))}\` is no longer required`),
    ...added.map((item) => `\`${short(formulaWords(item))}\` is now required`),
  ].join("; ");
}
