import type { DeclaredFunction, DeclaredPermission, DeclaredTable } from "../../declared/declared.ts";
import { type GivenArguments, guessedCalls } from "../observe/calls.ts";
import { documentOf } from "../observe/documents.ts";
import { argumentsOf, type Case, caseOf, orderArgument, rowsStatement, selectionOf } from "../decide/rows.ts";
import type { Variables } from "../observe/served.ts";
import type { ChangedRow } from "./attempts.ts";
import { type Attempt, lookAt } from "./outcome.ts";
import { targetOf } from "./values.ts";
import { mutationFields, verifyAttempt, type WriteVerification } from "./verify-writes.ts";

const mostReturned = 1_000;
/** Most calls of one function in one session. */
const mostCalls = 3;

/** Compares the functions that are exposed as mutations, and the effects of their calls, with the declaration. */
export async function verifyMutationFunctions(
  of: WriteVerification,
  given: GivenArguments,
  sessions: readonly Variables[],
): Promise<void> {
  const { subject, role } = of;
  const { access } = subject;
  verifyFields(of);
  for (const called of access.functions) {
    const [table, permission] = [access.tables.get(called.target), access.permission(role, called.target)];
    if (called.exposedAs === "query" || table === undefined || permission === undefined) continue;
    if (access.mayCall(role, called)) await verifyFunction({ ...of, table, permission }, called, given, sessions);
  }
}

function verifyFields({ subject, role, verdicts }: Pick<Case, "subject" | "role" | "verdicts">): void {
  const { access } = subject;
  const schema = subject.schema(role);
  if (schema === undefined) return;
  const served = mutationFields(schema, access.namespace);
  for (const called of access.functions.filter(({ exposedAs }) => exposedAs === "mutation")) {
    const granted = access.permission(role, called.target) !== undefined && access.mayCall(role, called);
    const { field } = called;
    verdicts.hold("schema", { role, name: field }, served.has(field) === granted, () =>
      granted ? `${role} lacks the function ${field} (mutation)` : `${role} has the function ${field} (mutation)`,
    );
  }
}

/** Calls a function as a role, and compares the effects with those of the same call in SQL. */
async function verifyFunction(
  of: WriteVerification & { readonly table: DeclaredTable; readonly permission: DeclaredPermission },
  called: DeclaredFunction,
  given: GivenArguments,
  sessions: readonly Variables[],
): Promise<void> {
  const { subject, role, verdicts, table, permission, most } = of;
  const cell = { role, table: table.key, call: called.field };
  const what = `the permission of ${role} to call ${called.field}`;
  const refusals: string[] = [];
  let changed = 0;
  for (const variables of sessions.slice(0, 2))
    await verdicts.guarded(cell, what, async () => {
      const target = targetOf(subject, role, variables, table.key);
      if (target === undefined) return;
      const { sql } = target;
      const all = [...subject.access.tables.values()].filter(({ isView }) => !isView);
      const sizes = await subject.database.rows(
        all
          .map((each) => `select count(*)::text from (select from ${sql.from(each, "it")} limit ${most + 1}) it`)
          .join(" union all "),
      );
      const small = all.filter((_each, index) => Number(sizes[index]?.[0]) <= most);
      const look = lookAt(small, (each) => sql.from(each, "it")) || "select '', '{}' where false";
      for (const call of (await guessedCalls(subject, called, given)).slice(0, mostCalls)) {
        const one = caseOf({ subject, role, table, permission, variables, call, verdicts, most });
        const args = argumentsOf(one, orderArgument(one), `limit: ${mostReturned}`);
        const attempt: Attempt = {
          target,
          what: `call ${called.field}(${call.args})`,
          field: called.field,
          single: call.single,
          isRows: true,
          query: documentOf(subject.access, "mutation", `${called.field}${args} { ${selectionOf(one)} }`),
          variables: {},
          change: async (run) => {
            const rows = await run(rowsStatement(one, Math.min(permission.limit ?? mostReturned, mostReturned)));
            return { rows: rows.map(([shown = null]): ChangedRow => [true, true, shown]), affected: rows.length };
          },
        };
        const expected = await verifyAttempt(of, attempt, look);
        if (expected.refused === undefined) changed += expected.effects.length;
        else refusals.push(expected.refused);
      }
    });
  if (changed === 0)
    verdicts.say(
      "not-tried",
      cell,
      `${what}: no call changes or returns rows${refusals[0] === undefined ? "" : `, such as: ${refusals[0]}`}; set its arguments in hasura-checks.yaml`,
    );
}
