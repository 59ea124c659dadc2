import { afterAll, beforeAll, expect, test } from "vitest";
import { documentedViews } from "@routeql/database/reference";
import { DatabaseContainer, type StartedDatabaseContainer } from "../harness/containers/database-container.ts";
import { image } from "../harness/containers/image.ts";

let database: StartedDatabaseContainer;
beforeAll(async () => void (database = await new DatabaseContainer(await image("database")).start()));
afterAll(() => database?.stop());

interface Column {
  readonly view: string;
  readonly name: string;
  readonly type: string;
  readonly description: string | null;
}

test("every view and column has the description and type of the data dictionary", async () => {
  await using client = await database.connect("owner");
  const { rows } = await client.query<Column>(`
    select c.relname as view, a.attname as name, regexp_replace(format_type(a.atttypid, null), ' without time zone|character ', '') as type,
      col_description(c.oid, a.attnum) as description
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('v', 'r')`);
  const views = await client.query<{ name: string; description: string | null }>(
    "select relname as name, obj_description(oid, 'pg_class') as description from pg_class where relnamespace = 'public'::regnamespace and relkind in ('v', 'r')",
  );
  const found = rows.map((row) => ({ ...row, type: row.type.replace(/^varying/, "varchar") }));
  const documented = documentedViews().flatMap(({ name, columns }) =>
    columns.map((column) => ({ view: name, ...column })),
  );
  const byPlace = (one: { view: string; name: string }, other: { view: string; name: string }): number =>
    `${one.view}.${one.name}`.localeCompare(`${other.view}.${other.name}`);
  expect(found.toSorted(byPlace)).toEqual(documented.toSorted(byPlace));
  expect(new Map(views.rows.map(({ name, description }) => [name, description]))).toEqual(
    new Map(documentedViews().map(({ name, description }) => [name, description])),
  );
});
