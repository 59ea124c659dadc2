import { identifier } from "../../../../engine/src/permissions/sql-text.ts";
import type { DeclaredFunction } from "../../../../engine/src/permissions/functions.ts";
import { difference, differenceWords, expectedRows, settled } from "./answers.ts";
import { documentOf, rootValue } from "./documents.ts";
import { type Case, orderArgument, plainRows, selectionOf, sessionWords } from "./rows.ts";

const most = 200;

/** Calls a function without arguments, or with null for those that need a value: of what it gives, the role is served what it may read. */
export async function verifyFunction(of: Case, called: DeclaredFunction): Promise<void> {
  const { subject, role, permission, table, sql, verdicts, variables } = of;
  const cell = { role, table: table.key, name: called.field };
  if (called.readsSession || !called.returnsSet) {
    verdicts.say("not-verified", cell, `the rows of the function ${called.field} for ${role}: it ${called.readsSession ? "reads the session" : "gives a single row"}`);
    return;
  }
  const needed = called.arguments.filter(({ hasDefault }) => !hasDefault);
  const args = needed.length === 0 ? "" : `args: {${needed.map(({ field }) => `${field}: null`).join(", ")}}`;
  const given = needed.map(({ type }) => `null::${type}`).join(", ");
  const from = `${identifier(called.schema)}.${identifier(called.name)}(${given}) it`;
  const all = [args, orderArgument(of), `limit: ${most}`].filter((argument) => argument !== "").join(", ");
  const document = documentOf(subject.access, "query", `${called.field}(${all}) { ${selectionOf(of)} }`);
  const wrong = await settled(
    () => expectedRows(subject, () => sql.rows(table, permission, most, "true", from)),
    () => subject.ask(role, variables, document),
    (reply, expected) => {
      if (expected.kind === "unknown" || expected.kind === "error") return undefined;
      if (expected.kind === "missing") return reply.failure === undefined ? `is served though ${expected.variable} is missing` : undefined;
      if (reply.failure !== undefined) return `is refused with "${reply.failure.message}"`;
      const rows = plainRows(rootValue(subject.access, reply, called.field));
      const reach = Math.min(most, permission.limit ?? most);
      if (expected.rows.length > reach) return rows.length === reach ? undefined : `is served ${rows.length} rows`;
      const found = difference(rows, expected.rows);
      return found === undefined ? undefined : `is served ${differenceWords(found)}`;
    },
  );
  verdicts.hold("rows", cell, wrong === undefined, () => `${role}${sessionWords(variables)} ${wrong ?? ""} (function ${called.field})`);
}
