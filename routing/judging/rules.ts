import type { AsNumbers } from "./configuration/as-numbers.ts";
import { AsSet } from "./configuration/as-numbers.ts";
import { cleanPath } from "./clean-path.ts";

/** A rating of a hijack from the communities of its announcements. One condition has to hold: all of `in`, none of `out`. */
export interface Annotation {
  readonly name: string;
  readonly conditions: readonly { readonly in: readonly string[]; readonly out: readonly string[] }[];
}

/** Allowed announcements of a prefix. */
export interface Rule {
  /** Name of the rule in messages and records. */
  readonly name: string;
  /** Without any, the prefix may not be announced (squatting). */
  readonly origins: AsNumbers;
  /** AS numbers beside the origin; empty: any. */
  readonly neighbours: AsNumbers;
  /** Permitted hops before the origin, in the order of the path, as announced; empty: any. */
  readonly prepends: readonly (readonly number[])[];
  readonly noExport: boolean;
  /** More specific prefixes: each is a hijack, those of legitimate announcements are allowed, or all are allowed. */
  readonly moreSpecifics: "hijack" | "origins" | "allowed";
  /** The first one is the most serious. */
  readonly annotations: readonly Annotation[];
}

/** The rule of a prefix that only lists its origins. */
export const originRule = (name: string, origins: AsNumbers): Rule => ({
  name,
  origins,
  neighbours: [],
  prepends: [],
  noExport: false,
  moreSpecifics: "origins",
  annotations: [],
});

/** A hijack by one announcement. */
export interface Verdict {
  /** prefix|path|data plane|policy, such as `E|0|-|-`. */
  readonly type: string;
  /** -1 if it is unknown. */
  readonly hijacker: number;
  /** Name of the rule that the announcement breaks. */
  readonly rule: string;
  /** AS numbers whose traffic the announcement attracts. */
  readonly infected: readonly number[];
}

/** Combinations that are hijacks; every other one is benign. */
export const hijackTypes: ReadonlySet<string> = new Set([
  "S|0|-|-",
  "S|0|-|L",
  "S|1|-|-",
  "S|1|-|L",
  "S|P|-|-",
  "S|-|-|-",
  "S|-|-|L",
  "E|0|-|-",
  "E|0|-|L",
  "E|1|-|-",
  "E|1|-|L",
  "E|P|-|-",
  "E|-|-|L",
  "Q|0|-|-",
  "Q|0|-|L",
]);

/** A rule that is ready for comparisons. */
export class PreparedRule {
  readonly rule: Rule;
  readonly #origins: AsSet;
  readonly #neighbours: AsSet;

  constructor(rule: Rule) {
    this.rule = rule;
    this.#origins = new AsSet(rule.origins);
    this.#neighbours = new AsSet(rule.neighbours);
  }

  /** @param raw path as announced @param path the same, cleaned @returns undefined for a benign announcement */
  judge(raw: readonly number[], path: readonly number[], isMoreSpecific: boolean): Verdict | undefined {
    const { name, noExport, moreSpecifics } = this.rule;
    if (isMoreSpecific && moreSpecifics === "allowed") return undefined;
    const prefix = this.#origins.isEmpty ? "Q" : isMoreSpecific ? "S" : "E";
    const found = this.#judgePath(raw, path);
    const leaks = noExport && path.length > 3;
    const type = `${prefix}|${found.type}|-|${leaks ? "L" : "-"}`;
    if (!hijackTypes.has(type) || (type === "S|-|-|-" && moreSpecifics === "origins")) return undefined;
    const hijacker = found.hijacker === -1 && leaks ? (path.at(-2) ?? -1) : found.hijacker;
    return { type, hijacker, rule: name, infected: infected(path, found.type, leaks) };
  }

  #judgePath(raw: readonly number[], path: readonly number[]): { readonly type: string; readonly hijacker: number } {
    const origin = path.at(-1);
    if (origin === undefined) return { type: "-", hijacker: -1 };
    if (!this.#origins.has(origin)) return { type: "0", hijacker: origin };
    const neighbour = path.at(-2);
    if (neighbour === undefined) return { type: "-", hijacker: -1 };
    if (!this.#neighbours.isEmpty && !this.#neighbours.has(neighbour)) return { type: "1", hijacker: neighbour };
    const deviating = deviatingAs(raw, this.rule.prepends);
    return deviating === undefined ? { type: "-", hijacker: -1 } : { type: "P", hijacker: deviating };
  }
}

/** The first AS, seen from the origin, that breaks the sequence which fits best; undefined if a sequence fits. */
function deviatingAs(raw: readonly number[], sequences: readonly (readonly number[])[]): number | undefined {
  if (sequences.length === 0) return undefined;
  const hops = raw.slice(0, -1);
  let best = 0;
  for (const sequence of sequences) {
    if (hops.length < sequence.length) continue;
    let equal = 0;
    while (equal < sequence.length && hops.at(-1 - equal) === sequence.at(-1 - equal)) equal += 1;
    if (equal === sequence.length) return undefined;
    best = Math.max(best, equal);
  }
  return hops.at(-1 - best);
}

/** Without a hijacker in the path, the nearest possible one is two hops before the origin. */
function infected(path: readonly number[], pathType: string, leaks: boolean): readonly number[] {
  const own = pathType === "0" ? 1 : pathType === "1" || leaks ? 2 : 3;
  return path.slice(0, Math.max(0, path.length - own));
}

/** The rules in their order: a benign one ends the evaluation; else the last one stands. @returns undefined for a benign announcement */
export function judge(
  rules: readonly PreparedRule[],
  raw: readonly number[],
  isMoreSpecific: boolean,
): Verdict | undefined {
  const path = cleanPath(raw);
  let last: Verdict | undefined;
  for (const rule of rules) {
    last = rule.judge(raw, path, isMoreSpecific);
    if (last === undefined) return undefined;
  }
  return last;
}

/** The annotation after another announcement: it becomes more serious only. @param communities such as `64496:100` */
export function annotate(current: string, rules: readonly PreparedRule[], communities: ReadonlySet<string>): string {
  let annotation = current;
  for (const { rule } of rules)
    for (const [rank, { name, conditions }] of rule.annotations.entries()) {
      const holds = conditions.some(
        (condition) =>
          condition.in.every((each) => communities.has(each)) && !condition.out.some((each) => communities.has(each)),
      );
      if (holds && (annotation === "NA" || rank < rule.annotations.findIndex((other) => other.name === annotation)))
        annotation = name;
    }
  return annotation;
}
