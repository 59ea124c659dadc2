import { type DeclaredTable } from "../../declared/declared.ts";
import type { TextRows } from "../../metadata/database.ts";
import { difference } from "../observe/answers.ts";
import { rootValue } from "../observe/documents.ts";
import { plainRows } from "../decide/rows.ts";
import { parseExactly, type Rehearsed, Unanswered } from "../observe/served.ts";
import type { Subject } from "../observe/subject.ts";
import type { Attempt as WriteAttempt, ChangedRow } from "./attempts.ts";

/** An attempt; a call of a function has no write permission. */
export type Attempt = Omit<WriteAttempt, "write"> &
  Partial<Pick<WriteAttempt, "write">> & {
    /** Whether the root field returns rows instead of a response. */
    readonly isRows?: boolean;
  };

/** One row that a change adds (`+ schema.table`), removes (`- schema.table`) or returns (`returning`). */
interface Effect {
  readonly place: string;
  readonly row: Readonly<Record<string, unknown>>;
}

export type Outcome =
  | { readonly refused: string; readonly effects?: undefined }
  | { readonly refused?: undefined; readonly effects: readonly Effect[]; readonly affected: number };

/** The result of SQL, with the changed rows of the root field. */
export type Expected = Outcome & { readonly rows: readonly ChangedRow[] };

/** A statement that reads all rows of some tables, as pairs of the table and a JSON text. */
export const lookAt = (tables: readonly DeclaredTable[], from: (table: DeclaredTable) => string): string =>
  tables
    .map((table) => `select '${table.key.replaceAll("'", "''")}', to_jsonb(it)::text from ${from(table)}`)
    .join(" union all ");

function effectsOf(before: TextRows, after: TextRows, returned: readonly unknown[]): readonly Effect[] {
  const { extra, lacking } = difference(after, before) ?? { extra: [], lacking: [] };
  const effect =
    (sign: string) =>
    (pair: string): Effect => {
      const [table = "", row = "{}"] = JSON.parse(pair) as readonly string[];
      return { place: `${sign} ${table}`, row: parseExactly(row) as Effect["row"] };
    };
  return [
    ...lacking.map(effect("-")),
    ...extra.map(effect("+")),
    ...returned.map((row): Effect => ({ place: "returning", row: row as Effect["row"] })),
  ];
}

/** Runs the SQL of an attempt. Nothing is stored. */
export async function expectedOutcome({ database }: Subject, attempt: Attempt, look: string): Promise<Expected> {
  const { role, variables } = attempt.target;
  try {
    const { before, after, result } = await database.rehearse(
      look,
      { ...variables, "x-hasura-role": role },
      attempt.change,
    );
    const { rows, affected } = result;
    if (rows.some(([check]) => !check)) return { refused: "the check fails", rows };
    const shown = rows.flatMap(([, , text]) => (text === null ? [] : [parseExactly(text)]));
    return { effects: effectsOf(before, after, plainRows(shown)), affected, rows };
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code === undefined && !message.startsWith("missing session")) throw error;
    return { refused: message, rows: [] };
  }
}

/** Runs the request of an attempt. @param refused the reason of SQL to refuse it @throws Unanswered for another failure of the database */
export async function servedOutcome(
  subject: Subject,
  { query, variables, write, target, field, single, isRows = false }: Attempt,
  look: string,
  refused: string | undefined,
): Promise<Outcome> {
  let rehearsed: Rehearsed;
  try {
    const mutation = { query, variables, isBackend: write?.backendOnly === true };
    rehearsed = await subject.rehearse(target.role, target.variables, mutation, look);
  } catch (error) {
    if (!(error instanceof Unanswered) || refused === undefined) throw error;
    return { refused: error.message };
  }
  const { reply, before, after } = rehearsed;
  if (reply.failure !== undefined) return { refused: reply.failure.message };
  const value = rootValue(subject.access, reply, field);
  const rows = Array.isArray(value) ? value : value === null || value === undefined ? [] : [value];
  if (single || isRows) return { effects: effectsOf(before, after, plainRows(rows)), affected: rows.length };
  // One response, or a list of them.
  const responses = rows as readonly Readonly<Record<string, unknown>>[];
  const returned = responses.flatMap(({ returning }) => plainRows(returning));
  const counts = responses.map((response) => {
    const [, count] = Object.entries(response).find(([name]) => name !== "returning") ?? [];
    return Number(String(count).slice(1));
  });
  return { effects: effectsOf(before, after, returned), affected: counts.reduce((sum, count) => sum + count, 0) };
}

const keyOf = ({ place }: Effect, column: string) => `${place.replace(/^[-+] /, "")}.${column}`;

/** Columns with other values each time, such as a default of now() or of a sequence. */
export function volatileColumns(one: Outcome, other: Outcome): ReadonlySet<string> {
  const valuesOf = ({ effects = [] }: Outcome) => {
    const values = new Map<string, string[]>();
    for (const effect of effects)
      for (const [column, value] of Object.entries(effect.row)) {
        const key = keyOf(effect, column);
        values.set(key, [...(values.get(key) ?? []), JSON.stringify(value)]);
      }
    return new Map([...values].map(([key, list]) => [key, list.toSorted().join("\n")]));
  };
  const [first, second] = [valuesOf(one), valuesOf(other)];
  return new Set([...first.keys(), ...second.keys()].filter((key) => first.get(key) !== second.get(key)));
}

/** The difference between the served outcome and that of SQL in words; undefined without one. */
export function outcomeDifference(
  served: Outcome,
  expected: Outcome,
  ignored: ReadonlySet<string> = new Set(),
): string | undefined {
  if (served.effects === undefined)
    return expected.effects === undefined
      ? undefined
      : `is refused ("${served.refused}"), though the permission allows it`;
  if (expected.effects === undefined) return `is served, though SQL refuses it (${expected.refused})`;
  const compared = (effects: readonly Effect[]) =>
    effects.map((effect) => ({
      place: effect.place,
      row: Object.fromEntries(Object.entries(effect.row).filter(([column]) => !ignored.has(keyOf(effect, column)))),
    }));
  const found = difference(compared(served.effects), compared(expected.effects));
  if (found === undefined)
    return served.affected === expected.affected
      ? undefined
      : `reports ${served.affected} affected rows, and SQL changes ${expected.affected}`;
  const short = (text: string | undefined) =>
    text === undefined ? "nothing" : text.slice(0, 240).replaceAll('"#', '"');
  return `has other effects than the permission: ${short(found.extra[0])}, where SQL has ${short(found.lacking[0])}`;
}
