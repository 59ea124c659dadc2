import { expect, test } from "vitest";
import { library, plan, stateOf } from "../../testing/world.ts";

const state = await stateOf(library);

test.each(["constructor", "toString", "__proto__"])("a variable %s without a value is null or its default", (name) => {
  const statement = (query: string) => JSON.stringify(plan(state, "admin", query));
  expect(statement(`query q($${name}: Int) { author(limit: $${name}) { id } }`)).toBe(
    statement("query q($limit: Int) { author(limit: $limit) { id } }"),
  );
  expect(statement(`query q($${name}: Int = 3) { author(limit: $${name}) { id } }`)).toBe(
    statement("{ author(limit: 3) { id } }"),
  );
  expect(statement(`query q($${name}: Int) { article(where: {body: {_contains: [$${name}]}}) { id } }`)).toContain(
    "[null]",
  );
});
