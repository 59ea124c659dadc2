import type { ExplainedField, ExplainedSubscription, ExplainedVariables } from "../interface.ts";
import type { Parameter } from "../sql/expression.ts";
import { finalText, type Sql } from "../sql/sql.ts";
import type { RootPlan, Statement, SubscriptionPlan } from "./plan/plan.ts";

type Values = readonly (string | null)[];

/** Postgres' plan of a statement as lines, and its parameter values. */
export type AskForPlan = (
  statement: Statement,
  sql: Sql,
) => Promise<{ readonly plan: readonly string[]; readonly values: Values }>;

/** Each root field with its statement. A field without a statement, such as `__typename`, has neither statement nor plan. */
export async function explainQuery(roots: readonly RootPlan[], ask: AskForPlan): Promise<readonly ExplainedField[]> {
  const fields: ExplainedField[] = [];
  for (const root of roots) {
    if (root.kind === "namespace") fields.push(...(await explainQuery(root.fields, ask)));
    else if (root.kind !== "statement") fields.push({ field: root.key, sql: null, plan: null });
    else {
      const sql = finalText(root.statement.template);
      fields.push({ field: root.key, sql, plan: (await ask(root.statement, sql)).plan });
    }
  }
  return fields;
}

/** The statement for a single subscriber. */
export async function explainSubscription(
  { statement, cursor, cursorName }: SubscriptionPlan,
  ask: AskForPlan,
  changes: ExplainedSubscription["changes"],
): Promise<ExplainedSubscription> {
  const sql = finalText(statement.template);
  const { plan, values } = await ask(statement, sql);
  return { sql, plan, variables: variablesOf(statement.parameters, values, cursor, cursorName), changes };
}

function variablesOf(
  parameters: readonly Parameter[],
  values: Values,
  cursor: number | undefined,
  cursorName = "",
): ExplainedVariables {
  const session: Record<string, string | null> = {};
  const query: Record<string, string | null> = {};
  const place: Record<string, string | null> = {};
  const synthetic: (string | null)[] = [];
  for (const [index, { source, type }] of parameters.entries()) {
    const value = values[index] ?? null;
    if (index === cursor) place[cursorName] = value;
    else if (source.kind === "session") session[source.name] = value;
    else if (source.kind === "session-object") session["x-hasura"] = value;
    else if (source.kind === "variable" && !type.endsWith("[]")) query[source.name] = value;
    else synthetic.push(value);
  }
  return { session, query, synthetic, cursor: place };
}
