import { describe, expect, test } from "vitest";
import { library } from "../testing/library.ts";
import { stateOf } from "../testing/world.ts";
import { camelCase, Naming, pascalCase } from "./naming.ts";

test.each([
  ["author", "author", "Author"],
  ["user_address", "userAddress", "UserAddress"],
  ["_is_null", "_isNull", "IsNull"],
  ["createdAt", "createdAt", "CreatedAt"],
])("%s in camel case is %s, in pascal case %s", (name, camel, pascal) => {
  expect(camelCase(name)).toBe(camel);
  expect(pascalCase(name)).toBe(pascal);
});

describe("hasura-default", () => {
  const naming = new Naming({ root_fields: { prefix: "a_", suffix: "_b" }, type_names: { prefix: "p_", suffix: "_s" } }, "hasura-default");

  test("keeps names and puts prefix and suffix around them", () => {
    expect(naming.type("author", "bool_exp")).toBe("p_author_bool_exp_s");
    expect(naming.rootField("author_aggregate")).toBe("a_author_aggregate_b");
    expect(naming.scalarType("String", "comparison_exp")).toBe("p_String_comparison_exp_s");
    expect(naming.field("distinct_on")).toBe("distinct_on");
  });
});

test("graphql-default names types in pascal case, fields in camel case and enum values in capitals", async () => {
  const state = await stateOf({ ...library, customization: { naming_convention: "graphql-default" } });
  const { query, schema } = state.schema("admin");
  expect(Object.keys(query.getFields()).filter((name) => name.startsWith("author"))).toEqual(["author", "authorAggregate", "authorByPk"]);
  expect(query.getFields()["author"]?.args.map(({ name }) => name)).toEqual(["distinctOn", "limit", "offset", "orderBy", "where"]);
  expect(schema.getType("ArticleBoolExp")).toBeDefined();
  expect(schema.getType("OrderBy")?.toConfig()).toHaveProperty("values.ASC_NULLS_FIRST");
  expect(Object.keys((schema.getType("Article") as typeof query).getFields())).toContain("authorId");
});
