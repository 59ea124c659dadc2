import { Expectation, expectedRows, type Row } from "../observe/answers.ts";
import { documentOf, extremeColumns, fieldOf, rootValue } from "../observe/documents.ts";
import { argumentsOf, type Case, differing, fromOf, report, rootFieldOf } from "./rows.ts";

/** Compares counts, maxima and minima with those of the visible rows, and the number of nodes with the limit. */
export async function verifyAggregates(of: Case): Promise<void> {
  const { permission, table, subject, sql } = of;
  const columns = extremeColumns(table, permission).filter((column) => !table.enums.has(column));
  const names = columns.map((column) => fieldOf(table, column));
  const expectation = new Expectation(() =>
    expectedRows(subject, () => sql.aggregate(permission, columns, fromOf(of, "it"))),
  );
  for (const [kind, operation] of [
    ["query", "query aggregate"],
    ["subscription", "live aggregate"],
  ] as const) {
    if (!permission.operations.has(operation)) continue;
    const field = rootFieldOf(of, operation);
    const nodes = `more: ${field}${argumentsOf(of, "limit: 2147483647")} { nodes { __typename } }`;
    const extremes = names.length === 0 ? "" : ` max { ${names.join(" ")} } min { ${names.join(" ")} }`;
    const aggregate = `${field}${argumentsOf(of)} { aggregate { count${extremes} } }`;
    const document = documentOf(subject.access, kind, kind === "query" ? `${aggregate} ${nodes}` : aggregate);
    const wrong = await differing(of, expectation, document, (reply, [expected = {}]) => {
      const more = rootValue(subject.access, reply, "more") as { nodes?: readonly unknown[] } | undefined;
      const long = more?.nodes?.length ?? 0;
      if (permission.limit !== undefined && long > permission.limit)
        return `is served ${long} nodes at once, and may have ${permission.limit} rows`;
      const { aggregate: found } = rootValue(subject.access, reply, field) as { aggregate: Aggregate };
      return wrongAggregate(found, expected, names);
    });
    report(of, "aggregates", wrong, `${field}, ${operation}`, { checks: 1 + 2 * columns.length });
  }
}

export interface Aggregate {
  readonly count: string;
  readonly max?: Row;
  readonly min?: Row;
}

/** The difference between an answer and the result of SQL, in words; undefined without one. */
export function wrongAggregate(found: Aggregate, expected: Row, names: readonly string[]): string | undefined {
  if (found.count !== expected["count"])
    return `counts ${inWords(found.count)} rows, and the filter gives ${inWords(expected["count"])}`;
  for (const [index, name] of names.entries()) {
    for (const [which, word] of [
      ["max", "largest"],
      ["min", "smallest"],
    ] as const) {
      const [served, wanted] = [found[which]?.[name], expected[`${which}${index}`]];
      if (JSON.stringify(served) !== JSON.stringify(wanted))
        return `is told that the ${word} ${name} is ${inWords(served)}, and by the filter it is ${inWords(wanted)}`;
    }
  }
  return undefined;
}

const inWords = (value: unknown): string => JSON.stringify(value ?? null).replace(/^"#(.*)"$/, "$1");
