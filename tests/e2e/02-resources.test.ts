import { beforeAll, describe, expect, test } from "vitest";
import { Member } from "./support/clients/accounts.ts";
import { dataSets, loadDemo, realDataAbsent } from "./support/data/data.ts";
import { database } from "./support/stack/database.ts";
import { hijackFields, specifiedQuery, updateFields, type View, views } from "./support/data/fields.ts";
import { data, master } from "./support/clients/graphql.ts";

type Row = Record<string, unknown>;

/** Candidates for the answer: all rows not older than its last row. In Postgres' JSON form. */
async function candidates(
  { view, fields, sort }: View,
  limit: number,
  between: readonly [string, string],
): Promise<Row[]> {
  const owner = await database("owner");
  const columns = fields.map((field) => `"${field}"`).join(", ");
  const { rows } = await owner.query<{ rows: Row[] }>(
    `with last as (
       select "${sort}" as at from public.${view} where "${sort}" between $2 and $3 order by "${sort}" desc offset $1 - 1 limit 1
     )
     select coalesce(json_agg(r order by r."${sort}" desc), '[]') as rows
     from (select ${columns} from public.${view} where "${sort}" between coalesce((select at from last), $2) and $3) r`,
    [limit, ...between],
  );
  return (rows[0] as { rows: Row[] }).rows;
}

/** The answer has `limit` distinct candidates, newest first, and omits no candidate that is newer than one of them. */
function expectNewest(answer: readonly Row[], candidates: readonly Row[], { fields, sort }: View, limit: number): void {
  expect(candidates.length).toBeGreaterThanOrEqual(limit);
  expect(answer).toHaveLength(limit);
  expect(answer.map((row) => row[sort])).toEqual(candidates.slice(0, limit).map((row) => row[sort]));
  const known = new Set(candidates.map((row) => JSON.stringify(row)));
  for (const row of answer) {
    expect(Object.keys(row)).toEqual(fields);
    expect(known, JSON.stringify(row)).toContain(JSON.stringify(row));
  }
}

const always: readonly [string, string] = ["0001-01-01", "9999-12-31"];

describe("Resources and their fields", () => {
  let operator: Member;

  beforeAll(async () => {
    await loadDemo();
    operator = await Member.join("operator");
  });

  test.each(views)("$view has exactly the specified fields besides its relationships", async ({ view, fields }) => {
    const answer = await data<{
      __type: {
        fields: {
          name: string;
          type: { kind: string; ofType: { kind: string; name: string | null; ofType: { kind: string } | null } | null };
        }[];
      };
    }>(`{ __type(name: "${view}") { fields { name type { kind ofType { kind name ofType { kind } } } } } }`, master);
    const names = answer.__type.fields.map(({ name }) => name);
    const related = /^(?:reason|(hijack_links|update_links|configurations)(_aggregate)?)$/;
    expect(new Set(names.filter((name) => !related.test(name)))).toEqual(new Set(fields));
  });

  describe.each(views)("$view", (view) => {
    test("the specified query returns the same fields as SQL", async () => {
      const answer = await data<Record<string, Row[]>>(specifiedQuery(view), await operator.caller());
      expectNewest(answer[view.view] as Row[], await candidates(view, 10, always), view, 10);
    });

    test.for(dataSets)("the same on the data of $year, within its period", async (dataSet, context) => {
      context.skip(realDataAbsent !== undefined, realDataAbsent);
      await dataSet.load();
      const [from, to] = dataSet.period;
      const where = `where: {${view.sort}: {_gte: "${from}", _lte: "${to}"}}`;
      const query = specifiedQuery(view).replace("limit: 10", `limit: 10, ${where}`);
      const answer = await data<Record<string, Row[]>>(query, await operator.caller());
      expectNewest(answer[view.view] as Row[], await candidates(view, 10, dataSet.period), view, 10);
    });
  });

  test("hijack_key of an update refers to key of a hijack record, in both directions", async () => {
    const query = `{ view_hijacks(limit: 5, order_by: {time_last: desc}) { key prefix update_links(limit: 3) { hijack_key update { hijack_key prefix } } } }`;
    const answer = await data<{
      view_hijacks: { key: string; update_links: { hijack_key: string; update: { hijack_key: string[] } }[] }[];
    }>(query, await operator.caller());
    expect(answer.view_hijacks.length).toBeGreaterThan(0);
    for (const { key, update_links: links } of answer.view_hijacks) {
      expect(links.length).toBeGreaterThan(0);
      for (const link of links) {
        expect(link.hijack_key).toBe(key);
        expect(link.update.hijack_key).toContain(key);
      }
    }
    const back = await data<{
      view_bgpupdates: { hijack_key: string[]; hijack_links: { hijack: { key: string } }[] }[];
    }>(
      "{ view_bgpupdates(limit: 5, where: {hijack_links: {}}) { hijack_key hijack_links { hijack { key } } } }",
      await operator.caller(),
    );
    expect(back.view_bgpupdates.length).toBeGreaterThan(0);
    for (const update of back.view_bgpupdates) {
      expect(update.hijack_links.map(({ hijack }) => hijack.key).toSorted()).toEqual(update.hijack_key.toSorted());
    }
  });

  test("every field of both views is selectable alone", async () => {
    const caller = await operator.caller();
    for (const field of updateFields) await data(`{ view_bgpupdates(limit: 1) { ${field} } }`, caller);
    for (const field of hijackFields) await data(`{ view_hijacks(limit: 1) { ${field} } }`, caller);
    expect(updateFields.length + hijackFields.length).toBe(12 + 26);
  });
});
