import type { GraphQLSchema } from "graphql";
import { canonical, unordered } from "./compare.ts";
import { standsAlone, usualVariable } from "./isolate.ts";
import { known, knownTexts, withArguments } from "./known.ts";
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
  return hasura.body.startsWith('{"data"') && plain(unordered(hasura)) === plain(unordered(embedded));
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
    const isEqual = plain(canonical(found[0])) === plain(canonical(found[1])) || differOnlyInOrder(...found);
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
    type === "error"
      ? body.includes('"database query error"')
      : /"path":"\$","code":"(?:data-exception|bad-request|unexpected)"/.test(body),
  );
  if (!both && !byEvaluation) return undefined;
  if (!both && hasura.type !== null && !hasura.type.includes("/")) {
    // A live query evaluates the values of many sessions as rows, a query those of one before it reads rows.
    const query = call.query.replace(/^subscription/, "query");
    const [one, other] = (await answersOf(ask, { ...call, query, live: false })).map(canonical);
    if (one === other && one?.includes('"code":"data-exception"') === true) return evaluation;
  }
  // A smaller list has other positions.
  const message = (error: Answer): string => plain(canonical(error)).replaceAll(/\[\d+\]/g, "[]");
  const stands = async (own: Side, other: Side, error: Answer, rival: Answer): Promise<boolean> => {
    const text = message(error);
    const gives = async (side: Side, smaller: Call) => message(await ask(side, smaller)) === text;
    const missing = /missing session variable: \\"([\w-]+)/.exec(rival.body)?.[1];
    const session =
      missing === undefined ? call.session : { ...call.session, ...Object.fromEntries([usualVariable([missing, ""])]) };
    if (missing !== undefined && (await gives(own, { ...call, session })) && (await gives(other, { ...call, session })))
      return true;
    // A role whose filter hides every row need not evaluate the rest of the condition; the administrator has no filter.
    const asAdmin = (smaller: Call): Call => ({
      ...smaller,
      session: { ...smaller.session, "x-hasura-role": "admin" },
    });
    return standsAlone(
      { ...call, session },
      schema,
      (smaller) => gives(own, smaller),
      async (smaller) =>
        (await gives(other, smaller)) ||
        (await gives(other, asAdmin(smaller))) ||
        gives(other, withArguments(smaller, schema) ?? smaller),
    );
  };
  // In mutations and live queries, either engine's values may be read before an operator is looked up.
  const isValue = ({ body }: Answer): boolean => /invalid input syntax|malformed array literal/.test(body);
  const isQuery = ({ body }: Answer): boolean => body.includes("database query error");
  if (isQuery(hasura) && isValue(embedded)) return severalErrors;
  const isReadFirst = isValue(hasura) && isQuery(embedded);
  if (isError(hasura) && !isReadFirst && !(await stands("hasura", "embedded", hasura, embedded))) return undefined;
  if (isError(embedded) && !(await stands("embedded", "hasura", embedded, hasura))) {
    if (both) return undefined;
    // A wrong session variable fails only where Postgres reads it.
    const session = Object.fromEntries(Object.entries(call.session).map(usualVariable));
    const [one, other] = (await answersOf(ask, { ...call, session })).map(canonical);
    return one === other ? evaluation : undefined;
  }
  return both ? severalErrors : evaluation;
}
