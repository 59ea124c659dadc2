import { expect, test } from "vitest";
import { sql, stateOf } from "../../testing/world.ts";

const state = await stateOf({
  tables: { author: { columns: { id: "int4 not null" }, primaryKey: ["id"] } },
  functions: {
    free: {
      arguments: [
        { name: "most", type: "int4" },
        { name: "who", type: "json" },
        { name: "term", type: "text" },
      ],
      defaults: 3,
      returns: { table: "author", set: true },
    },
  },
  trackedFunctions: [{ function: "free", configuration: { session_argument: "who" } }],
  metadata: { author: {} },
});

const text = (field: string, variables?: Record<string, unknown>) =>
  sql(state, "admin", `${variables === undefined ? "" : "query($given: free_args) "}{ ${field} { id } }`, variables)
    .text;

test("an omitted argument gets its default, and later ones are passed by name", () => {
  expect(text("free(args: {})")).toContain(`FROM "public"."free"("who" => ($1::json)) AS`);
  expect(text('free(args: {term: "x"})')).toContain(
    `FROM "public"."free"("who" => ($1::json), "term" => ($2::text)) AS`,
  );
  expect(text('free(args: {most: null, term: "x"})')).toContain(
    `FROM "public"."free"(($1::integer), ($2::json), ($3::text)) AS`,
  );
});

test("omits the session argument together with `args`, as Hasura does", () => {
  expect(text("free")).toContain(`FROM "public"."free"() AS`);
});

test.each([
  ["free(args: null)", undefined],
  ["free(args: $given)", {}],
  ["free(args: $given)", { given: null }],
])("rejects %s with variables %j as Hasura does: arguments are optional, not nullable", (field, variables) => {
  expect(() => text(field, variables)).toThrow(
    expect.objectContaining({
      code: "validation-failed",
      path: "$.selectionSet.free.args.args",
      message: "expected an object for type 'free_args', but found null",
    }),
  );
});
