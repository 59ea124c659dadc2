import type { ExplainedField, ExplainedSubscription } from "../engine.ts";
import { finalText } from "../sql/print.ts";
import type { RootPlan, Statement, SubscriptionPlan } from "./plan.ts";

/** Plan of a statement in lines, and the values it was asked with. */
export type AskForPlan = (statement: Statement, sql: string) => Promise<{ readonly plan: readonly string[]; readonly values: readonly unknown[] }>;

/** Each root field with its statement; one that needs none, such as `__typename`, has neither statement nor plan. */
export async function explainQuery(roots: readonly RootPlan[], ask: AskForPlan): Promise<readonly ExplainedField[]> {
  const fields: ExplainedField[] = [];
  for (const root of roots) {
    if (root.kind === "namespace") fields.push(...(await explainQuery(root.fields, ask)));
    else if (root.kind === "fixed") fields.push({ field: root.key, sql: null, plan: null });
    else {
      const sql = finalText(root.statement.template);
      fields.push({ field: root.key, sql, plan: (await ask(root.statement, sql)).plan });
    }
  }
  return fields;
}

/** The statement as one subscriber alone is asked for. */
export async function explainSubscription({ statement }: SubscriptionPlan, ask: AskForPlan): Promise<ExplainedSubscription> {
  const sql = finalText(statement.template);
  const { plan, values } = await ask(statement, sql);
  return { sql, plan, variables: values };
}
