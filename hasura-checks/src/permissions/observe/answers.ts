import { UnderivableMetadata } from "../../declared/permission.ts";
import { MissingVariable, UnstorableText } from "./sql.ts";
import { parseExactly } from "./served.ts";
import { type Subject } from "./subject.ts";

export type Row = Readonly<Record<string, unknown>>;

/** The result of SQL: rows, an error that a client may see, or the reason why there is none. */
export type Expected =
  | { readonly kind: "rows"; readonly rows: readonly Row[] }
  | { readonly kind: "missing"; readonly variable: string }
  | { readonly kind: "error"; readonly message: string }
  | { readonly kind: "unknown"; readonly reason: string };

/** Runs a statement that was written from the declaration. Each row is one JSON text. */
export async function expectedRows(subject: Subject, statement: () => string): Promise<Expected> {
  try {
    const rows = await subject.database.rows(statement());
    return { kind: "rows", rows: rows.map(([text]) => parseExactly(text ?? "null") as Row) };
  } catch (error) {
    if (error instanceof MissingVariable) return { kind: "missing", variable: error.variable };
    if (error instanceof UnstorableText) return { kind: "error", message: error.message };
    if (error instanceof UnderivableMetadata) return { kind: "unknown", reason: error.message };
    const { code, message } = error as { code?: string; message: string };
    if (code === undefined) throw error;
    return code.startsWith("22") ? { kind: "error", message } : { kind: "unknown", reason: message };
  }
}

/** Rows that only one of the lists contains, as multisets; undefined if the lists are equal. */
export function difference(
  served: readonly unknown[],
  expected: readonly unknown[],
): { readonly extra: readonly string[]; readonly lacking: readonly string[] } | undefined {
  const counts = new Map<string, number>();
  for (const row of expected) {
    const text = JSON.stringify(row);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const extra: string[] = [];
  for (const row of served) {
    const text = JSON.stringify(row);
    const left = counts.get(text) ?? 0;
    if (left === 0) extra.push(text);
    else counts.set(text, left - 1);
  }
  const lacking = [...counts].flatMap(([text, count]) => Array.from({ length: count }, () => text));
  return extra.length + lacking.length === 0 ? undefined : { extra: extra.toSorted(), lacking: lacking.toSorted() };
}

const short = (text: string) => (text.length <= 160 ? text : `${text.slice(0, 157)}...`).replaceAll('"#', '"');

export function differenceWords({ extra, lacking }: NonNullable<ReturnType<typeof difference>>): string {
  const parts = [
    ...(extra.length === 0
      ? []
      : [
          `${extra.length} row${extra.length === 1 ? "" : "s"} that the filter hides, such as ${short(extra[0] ?? "")}`,
        ]),
    ...(lacking.length === 0
      ? []
      : [
          `not ${lacking.length} row${lacking.length === 1 ? "" : "s"} that the filter lets through, such as ${short(lacking[0] ?? "")}`,
        ]),
  ];
  return parts.join(", and ");
}

/** The result of a statement, kept for several comparisons. */
export class Expectation {
  readonly #run: () => Promise<Expected>;
  #last: Promise<Expected> | undefined;

  constructor(run: () => Promise<Expected>) {
    this.#run = run;
  }

  /** The last result, which may be older than the answer. */
  async last(): Promise<Expected> {
    return (this.#last ??= this.#run());
  }

  async again(): Promise<Expected> {
    this.#last = this.#run();
    return this.#last;
  }
}

/** Compares an answer with SQL's result. A difference counts only when that was the same before and after the answer. */
export async function settled<Answer>(
  expectation: Expectation,
  ask: () => Promise<Answer>,
  differs: (answer: Answer, expected: Expected) => string | undefined,
): Promise<string | undefined> {
  let before = await expectation.last();
  for (let round = 0; round < 5; round += 1) {
    const answer = await ask();
    const found = differs(answer, before);
    if (found === undefined) return undefined;
    const after = await expectation.again();
    if (JSON.stringify(after) === JSON.stringify(before)) return found;
    before = after;
  }
  return undefined;
}
