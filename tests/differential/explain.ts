import type { GraphQLSchema } from "graphql";
import { canonical, unordered } from "./compare.ts";
import { standsAlone } from "./isolate.ts";
import { known, knownTexts } from "./known.ts";
import type { Answer, Call } from "./pair.ts";
import type { Side } from "./twins.ts";

export type Ask = (side: Side, call: Call & { readonly live?: boolean }) => Promise<Answer>;

interface Case {
  readonly ask: Ask;
  readonly call: Call;
  readonly schema: GraphQLSchema;
}

type Answers = readonly [hasura: Answer, embedded: Answer];

const severalErrors = "which of several errors of a request is reported";
const evaluation = "whether Postgres evaluates a condition that fails";

export function differOnlyInOrder(hasura: Answer, embedded: Answer): boolean {
  return hasura.body.startsWith('{"data"') && unordered(hasura) === unordered(embedded);
}

const answersOf = (ask: Ask, call: Parameters<Ask>[1]): Promise<Answers> =>
  Promise.all([ask("hasura", call), ask("embedded", call)]);

/** Why both engines answer a request differently; undefined without a known reason. */
export async function explained({ ask, call, schema }: Case, answers: Answers): Promise<string | undefined> {
  const [one = "", other = ""] = answers.map(canonical);
  for (const text of knownTexts) if (plain(one, [text]) === plain(other, [text])) return text[2];
  const byErrors = await errorsStand({ ask, call, schema }, answers);
  if (byErrors !== undefined) return byErrors;
  const alone = known.map((rule) => [rule]);
  const together = known.map((_rule, index) => known.slice(0, index + 1)).slice(1);
  for (const rules of [...alone, ...together]) {
    let smaller = call;
    const names: string[] = [];
    for (const rule of rules) {
      const next = rule.without(smaller, schema);
      if (next === undefined) continue;
      smaller = next;
      names.push(rule.name);
    }
    if (names.length < Math.min(rules.length, 2) || names.at(-1) !== rules.at(-1)?.name) continue;
    const found = await answersOf(ask, smaller);
    const isEqual = canonical(found[0]) === canonical(found[1]) || differOnlyInOrder(...found);
    if (isEqual || (await errorsStand({ ask, call: smaller, schema }, found)) !== undefined) return names.join(", ");
  }
  return undefined;
}

/** The text without its known differences. */
const plain = (text: string, texts: typeof knownTexts = knownTexts): string =>
  texts.reduce((left, [pattern, replacement]) => left.replaceAll(pattern, replacement as string), text);

const isError = ({ type, body }: Answer): boolean => type === "error" || body.startsWith('{"errors":[');

/**
 * Whether each of the errors is one that both engines report: reduced to the part of the request that one engine needs for its error, the
 * other one reports the same. Then the request has several errors, or Postgres evaluates a failing condition in one engine's statement only.
 */
async function errorsStand({ ask, call, schema }: Case, [hasura, embedded]: Answers): Promise<string | undefined> {
  if (!isError(hasura) && !isError(embedded)) return undefined;
  const both = isError(hasura) && isError(embedded);
  const byEvaluation = [hasura, embedded].some(({ type, body }) =>
    body.includes(type === "error" ? '"database query error"' : '"path":"$","code":"data-exception"'),
  );
  if (!both && !byEvaluation) return undefined;
  if (!both && hasura.type !== null && !hasura.type.includes("/")) {
    // A live query evaluates the values of many sessions as rows, a query those of one before it reads rows.
    const query = call.query.replace(/^subscription/, "query");
    const [one, other] = (await answersOf(ask, { ...call, query, live: false })).map(canonical);
    if (one === other && one?.includes('"code":"data-exception"') === true) return evaluation;
  }
  const stands = (own: Side, other: Side, error: Answer): Promise<boolean> => {
    const text = plain(canonical(error));
    const gives = async (side: Side, smaller: Call) => plain(canonical(await ask(side, smaller))) === text;
    return standsAlone(
      call,
      schema,
      (smaller) => gives(own, smaller),
      (smaller) => gives(other, smaller),
    );
  };
  if (isError(hasura) && !(await stands("hasura", "embedded", hasura))) return undefined;
  if (isError(embedded) && !(await stands("embedded", "hasura", embedded))) return undefined;
  return both ? severalErrors : evaluation;
}
