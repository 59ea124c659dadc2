import { identifier } from "../../declared/filter-text.ts";
import { difference, differenceWords, Expectation, expectedRows } from "../observe/answers.ts";
import { documentOf, fieldOf, orderColumns, rootOf, rootValue } from "../observe/documents.ts";
import { type Case, differing, plainRows, report, rowsStatement, selectionOf } from "./rows.ts";

/** Types without the aggregate `max` before Postgres 18, by which no engine streams, and JSON, which has no order. */
const withoutMaximum =
  /^(bool|jsonb?|uuid|bytea|xml|bit|varbit|point|line|lseg|box|path|polygon|circle|macaddr8?|geometry|geography|hstore|ts(vector|query))$/;

/** Checks the first batch of a stream after the smallest value of a column: rows of the filter, at most the limit. */
export async function verifyStream(of: Case): Promise<void> {
  const { subject, table, permission, sql } = of;
  const column = orderColumns(table, permission).find(
    (name) =>
      !permission.cells.has(name) &&
      !table.enums.has(name) &&
      table.types.get(name)?.element === undefined &&
      !withoutMaximum.test(table.types.get(name)?.name ?? ""),
  );
  if (!permission.operations.has("stream") || column === undefined) return;
  const { naming } = subject.access;
  const own = `it.${identifier(column)}`;
  const smallest = await expectedRows(
    subject,
    () =>
      `select to_json((select min((${own})::text) from (select ${own} from ${sql.from(table, "it")} where (${sql.filter(permission, "it")}) and ${own} is not null order by ${own} limit 1) it))::text`,
  );
  if (smallest.kind !== "rows") return;
  const [start] = smallest.rows as unknown as readonly (string | null)[];
  if (start === null || start === undefined) return;
  const literal = /^int[24]$/.test(table.types.get(column)?.name ?? "") ? start : JSON.stringify(start);
  const { field } = rootOf(table, "stream");
  const document = documentOf(
    subject.access,
    "subscription",
    `${field}(${naming.field("batch_size")}: ${of.most}, cursor: {${naming.field("initial_value")}: {${fieldOf(table, column)}: ${literal}}}) { ${selectionOf(of)} }`,
  );
  const after = `${own} > '${start.replaceAll("'", "''")}'`;
  const expectation = new Expectation(() => expectedRows(subject, () => rowsStatement(of, of.most + 1, after)));
  const wrong = await differing(of, expectation, document, (reply, wanted) => {
    const served = plainRows(rootValue(subject.access, reply, field));
    const reach = Math.min(of.most, permission.limit ?? of.most);
    if (served.length > reach) return `is served ${served.length} rows at once, and may have ${reach}`;
    if (served.length !== Math.min(wanted.length, reach))
      return `is served ${served.length} rows, and the filter gives ${wanted.length}`;
    const found = difference(served, wanted);
    if (found === undefined || (found.extra.length === 0 && wanted.length > reach)) return undefined;
    // A batch can end between rows with the same value in the column of the cursor.
    return wanted.length > of.most ? undefined : `is served ${differenceWords(found)}`;
  });
  report(of, "rows", wrong, `${field}, stream`);
}
