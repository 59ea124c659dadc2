import { finalText } from "../sql/print.ts";
import type { RootPlan, Statement } from "./plan.ts";

/** A query's plan with the final texts of its statements. */
export interface PreparedPlan {
  readonly roots: readonly RootPlan[];
  readonly statements: readonly { readonly statement: Statement; readonly text: string }[];
  /** Rough number of characters that it holds. */
  readonly size: number;
}

function statementsOf(roots: readonly RootPlan[]): readonly Statement[] {
  return roots.flatMap((root) => (root.kind === "statement" ? [root.statement] : root.kind === "namespace" ? statementsOf(root.fields) : []));
}

function fixedLength(roots: readonly RootPlan[]): number {
  return roots.reduce((sum, root) => sum + (root.kind === "fixed" ? root.text.length : root.kind === "namespace" ? fixedLength(root.fields) : 0), 0);
}

export function preparePlan(roots: readonly RootPlan[]): PreparedPlan {
  const statements = statementsOf(roots).map((statement) => ({ statement, text: finalText(statement.template) }));
  const size = statements.reduce((sum, { text, statement }) => sum + 2 * text.length + 200 * statement.parameters.length, 1_000 + fixedLength(roots));
  return { roots, statements, size };
}

/** The reply's data: keys in the order of the query, answers as they come from Postgres. `take` gives the next statement's answer. */
export function splice(roots: readonly RootPlan[], take: () => string): string {
  const parts = roots.map((root) => {
    const text = root.kind === "fixed" ? root.text : root.kind === "statement" ? take() : splice(root.fields, take);
    return `${JSON.stringify(root.key)}:${text}`;
  });
  return `{${parts.join(",")}}`;
}
