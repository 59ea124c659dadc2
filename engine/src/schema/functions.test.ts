import { expect, test } from "vitest";
import { library, sql, stateOf } from "../testing/world.ts";

/** Authors with a computed field whose function returns rows of a table. */
const withRows = (table: string, set: boolean) => ({
  ...library,
  functions: {
    ...library.functions,
    works: { arguments: [{ name: "author_row", type: "author" }], returns: { table, set } },
  },
  metadata: {
    ...library.metadata,
    author: { ...library.metadata["author"], computed_fields: [{ name: "works", definition: { function: "works" } }] },
  },
});

test("a computed field whose function returns one row is a list, as in Hasura", async () => {
  const query = "{ author { works(where: {id: {_gt: 1}}, limit: 1) { id } } }";
  const single = await stateOf(withRows("article", false));
  const many = await stateOf(withRows("article", true));
  expect(sql(single, "admin", query)).toEqual(sql(many, "admin", query));
});

test.each([true, false])("rejects a computed field of rows that are not tracked, with SETOF: %s", async (set) => {
  await expect(stateOf(withRows("unknown", set))).rejects.toThrow(
    "the function public.works returns rows of something that is not a tracked table",
  );
});
