import { difference, type Expected, expectedRows, type Row } from "../observe/answers.ts";
import { documentOf } from "../observe/documents.ts";
import { hiddenNames, revealedBy } from "./error-texts.ts";
import {
  argumentsOf,
  type Case,
  caseOf,
  cellOf,
  orderArgument,
  rootFieldOf,
  rowsAt,
  rowsStatement,
  selectionOf,
  sessionWords,
} from "./rows.ts";
import { hostileValues, type Uses } from "../observe/sessions.ts";
import { orUnanswered, type Reply, Unanswered, type Variables } from "../observe/served.ts";

const most = 50;

/** Sessions in which one variable is missing or malformed. */
export function hostileSessions(uses: Uses, real: readonly Variables[]): readonly Variables[] {
  const [first = {}, second = first] = real;
  return [...uses.keys()].flatMap((name) => {
    const others = Object.fromEntries(Object.entries(first).filter(([variable]) => variable !== name));
    const [own, other] = [first[name] ?? "", second[name] ?? ""];
    return [
      others,
      { ...others, [name.replaceAll("-", "_")]: own },
      ...hostileValues(own, other).map(([, value]) => ({ ...others, [name]: value })),
    ];
  });
}

/** Checks sessions that no token should carry, by a query and one shared live query: their rows are those of SQL, or none. */
export async function verifyHostileSessions(of: Case, all: readonly Variables[]): Promise<void> {
  const sessions = all.filter((variables) => of.subject.takes(variables));
  const { subject, role, table, permission, verdicts } = of;
  const cell = cellOf(of);
  const args = argumentsOf(of, orderArgument(of), `limit: ${most}`);
  const expected: Expected[] = [];
  for (const variables of sessions) {
    const own = caseOf({ ...of, variables });
    expected.push(await expectedRows(subject, () => rowsStatement(own, most)));
  }
  const unknown = expected.find((each) => each.kind === "unknown");
  if (unknown?.kind === "unknown") {
    const rows = `the rows of ${table.rootField} for ${role} in a hostile session`;
    verdicts.say("not-verified", cell, `${rows}: ${unknown.reason}`);
  }
  const judge = (reply: Reply | Unanswered, index: number, operation: "query" | "live query") => {
    const wanted = expected[index];
    const variables = sessions[index] ?? {};
    if (wanted === undefined || wanted.kind === "unknown") return;
    if (reply instanceof Unanswered) {
      // Hasura hides why a request fails. Where the same SQL fails too, no row can be shown.
      if (wanted.kind !== "error") throw reply;
      return verdicts.hold("sessions", cell, true, () => "");
    }
    const rows = reply.failure === undefined ? rowsAt(of, reply, rootFieldOf(of, operation)) : undefined;
    const wrong = wrongAnswer(of, rows, wanted);
    const reason = () => `${role}${sessionWords(variables)} ${wrong ?? ""} (${table.rootField}, ${operation})`;
    verdicts.hold("sessions", cell, wrong === undefined, reason);
    if (reply.failure !== undefined) verifyText(of, reply.failure.message, variables);
  };
  if (permission.operations.has("query")) {
    const selection = `${rootFieldOf(of, "query")}${args} { ${selectionOf(of)} }`;
    const document = documentOf(subject.access, "query", selection);
    for (const [index, variables] of sessions.entries())
      judge(await orUnanswered(subject.ask(role, variables, document)), index, "query");
  }
  if (permission.operations.has("live query")) {
    const selection = `${rootFieldOf(of, "live query")}${args} { ${selectionOf(of)} }`;
    const document = documentOf(subject.access, "subscription", selection);
    const replies = await subject.askTogether(role, sessions, document);
    for (const [index, reply] of replies.entries()) judge(reply, index, "live query");
  }
}

function wrongAnswer(of: Case, rows: readonly Row[] | undefined, expected: Expected): string | undefined {
  if (expected.kind === "missing")
    return rows === undefined ? undefined : `is answered though ${expected.variable} is missing`;
  if (expected.kind === "error")
    return rows === undefined || rows.length === 0
      ? undefined
      : `is served ${rows.length} rows, and SQL fails with "${expected.message}"`;
  if (expected.kind !== "rows") return undefined;
  if (rows === undefined)
    return expected.rows.length === 0 ? undefined : `is refused, and the filter gives ${expected.rows.length} rows`;
  const reach = Math.min(most, of.permission.limit ?? most);
  // With more rows than are compared, or without an order, only the number can be compared.
  if (expected.rows.length >= reach)
    return rows.length === reach
      ? undefined
      : `is served ${rows.length} rows, and the filter gives ${expected.rows.length} or more`;
  return difference(rows, expected.rows) === undefined
    ? undefined
    : `is served ${rows.length} rows, and the filter gives ${expected.rows.length} of which some are others`;
}

/** Checks that an error mentions no hidden table or column and no statement. It may repeat values of the session and name their type. */
function verifyText({ subject, role, table, verdicts }: Case, message: string, variables: Variables): void {
  const revealed = revealedBy(message, hiddenNames(subject.access, role), variables);
  const reason = () => `an error shows ${role} ${revealed ?? ""}: "${message}"`;
  verdicts.hold("error-texts", { role, table: table.key }, revealed === undefined, reason);
}
