import { printSchema } from "graphql";
import { describe, expect, test } from "vitest";
import type { MetadataError } from "@routeql/metadata/read/problems";
import { stateOf, type World } from "../testing/world.ts";

const world: World = {
  tables: { author: { columns: { id: "int4 not null" }, primaryKey: ["id"] } },
  metadata: { author: { select_permissions: [{ role: "reader", permission: { columns: "*", filter: {} } }] } },
  native: {
    columns: { id: "integer", first_name: "text" },
    models: [
      {
        name: "person_row",
        description: "A person",
        fields: [
          { name: "id", type: "integer", description: "Its number" },
          { name: "first_name", type: { scalar: "text", nullable: true } },
        ],
        select_permissions: [{ role: "reader", permission: { columns: ["id"], filter: {} } }],
      },
    ],
    queries: [
      {
        root_field_name: "all_people",
        description: "Everybody",
        code: "SELECT 1 AS id, 'a' AS first_name",
        returns: "person_row",
      },
      {
        root_field_name: "some_people",
        code: "SELECT 1 AS id, {{like}} AS first_name LIMIT {{most}}",
        arguments: { like: { type: "text", nullable: true }, most: { type: "integer", description: "How many" } },
        returns: "person_row",
        object_relationships: [{ name: "account", using: { remote_table: "author", column_mapping: { id: "id" } } }],
        array_relationships: [
          { name: "alike", using: { remote_native_query: "some_people", column_mapping: { id: "id" } } },
        ],
      },
    ],
  },
};

async function definitions(role: string, customization?: World["customization"]): Promise<string> {
  const state = await stateOf({ ...world, ...(customization === undefined ? {} : { customization }) });
  return printSchema(state.schema(role).schema);
}

/** The definition of one type with fields without arguments. */
function definition(schema: string, name: string): string {
  return new RegExp(`(?:"""\\n?.*\\n?"""\\n)?(?:type|input|enum) ${name} \\{[^}]*\\}`).exec(schema)?.[0] ?? "";
}

describe("types of native queries", () => {
  test("have Hasura's names and descriptions", async () => {
    const schema = await definitions("admin");
    expect(definition(schema, "person_row")).toBe(
      '"""A person"""\ntype person_row {\n  first_name: String\n\n  """Its number"""\n  id: Int!\n}',
    );
    expect(definition(schema, "person_row_order_by")).toBe(
      '"""Ordering options when selecting data from "person_row"."""\ninput person_row_order_by {\n  first_name: order_by\n  id: order_by\n}',
    );
    expect(definition(schema, "person_row_enum_name")).toBe(
      'enum person_row_enum_name {\n  """column name"""\n  first_name\n\n  """column name"""\n  id\n}',
    );
    expect(definition(schema, "person_row_bool_exp_bool_exp")).toBe(
      '"""\nBoolean expression to filter rows from the logical model for "person_row". All fields are combined with a logical \'AND\'.\n"""\n' +
        "input person_row_bool_exp_bool_exp {\n  _and: [person_row_bool_exp_bool_exp!]\n  _not: person_row_bool_exp_bool_exp\n  _or: [person_row_bool_exp_bool_exp!]\n  first_name: String_comparison_exp\n  id: Int_comparison_exp\n}",
    );
    expect(definition(schema, "some_people_arguments")).toBe(
      '"""some_peopleNative Query Arguments"""\ninput some_people_arguments {\n  """Native Query argument like"""\n  like: String\n\n  """How many"""\n  most: Int!\n}',
    );
  });

  test("of rows with relationships are named after the query, their arguments after the field", async () => {
    const schema = await definitions("admin");
    expect(schema).toMatch(/"""Everybody"""\n {2}all_people\(/);
    expect(schema).toMatch(/\): \[person_row!\]!/);
    expect(schema).toMatch(/\): \[some_people!\]!/);
    expect(schema).toMatch(/type some_people \{\n {2}"""An object relationship"""\n {2}account: author\n/);
    expect(schema).toMatch(/args: alike_arguments!\n/);
    expect(schema).toMatch(/\): \[some_people!\]\n/);
    expect(definition(schema, "alike_arguments")).toContain("alikeNative Query Arguments");
  });

  test("are also live queries, and have neither aggregates nor streams", async () => {
    const state = await stateOf(world);
    const { query, subscription } = state.schema("admin");
    expect(Object.keys(query.getFields())).toEqual([
      "all_people",
      "author",
      "author_aggregate",
      "author_by_pk",
      "some_people",
    ]);
    expect(Object.keys(subscription?.getFields() ?? {})).toEqual([
      "all_people",
      "author",
      "author_aggregate",
      "author_by_pk",
      "author_stream",
      "some_people",
    ]);
  });

  test("show a role only its visible fields, also in conditions and orders", async () => {
    expect(await definitions("reader")).not.toContain("first_name");
    expect(await definitions("stranger")).not.toContain("person");
  });

  test("get a source's prefix and suffix only where Hasura adds them", async () => {
    const schema = await definitions("admin", {
      root_fields: { prefix: "r_", suffix: "_r", namespace: "space" },
      type_names: { prefix: "t_", suffix: "_t" },
    });
    expect(
      Object.keys(
        (await stateOf({ ...world, customization: { root_fields: { prefix: "r_", namespace: "space" } } }))
          .schema("admin")
          .query.getFields(),
      ),
    ).toEqual(["space"]);
    for (const name of [
      "person_row",
      "person_row_enum_name",
      "some_people",
      "some_people_arguments",
      "t_person_row_bool_exp_bool_exp_t",
      "t_person_row_order_by_t",
    ])
      expect(definition(schema, name), name).not.toBe("");
    expect(schema).toMatch(/ {2}all_people\(/);
    expect(schema).toMatch(/ {2}r_author_r\(/);
  });

  test("follow the naming convention only in list arguments and input names", async () => {
    const schema = await definitions("admin", { naming_convention: "graphql-default" });
    for (const name of [
      "person_row",
      "person_row_enum_name",
      "some_people",
      "some_people_arguments",
      "person_rowBoolExpBoolExp",
      "person_rowOrderBy",
    ])
      expect(definition(schema, name), name).not.toBe("");
    expect(schema).toMatch(/distinctOn: \[person_row_enum_name!\]/);
    expect(definition(schema, "person_row")).toContain("first_name: String");
  });

  test("conflict if fields of one name lead to different native queries with arguments", async () => {
    const [, some] = world.native?.queries ?? [];
    const other = { ...some, root_field_name: "other_people", array_relationships: [], object_relationships: [] };
    const clash = {
      ...other,
      root_field_name: "clashing",
      array_relationships: [
        { name: "alike", using: { remote_native_query: "other_people", column_mapping: { id: "id" } } },
      ],
    };
    const problems = await stateOf({
      ...world,
      native: { columns: {}, models: [], ...world.native, queries: [...(world.native?.queries ?? []), other, clash] },
    }).then(
      () => [],
      (error: unknown) => (error as MetadataError).problems,
    );
    expect(problems.map(({ path, reason }) => `${path}: ${reason}`)).toEqual([
      "sources[0].native_queries[3]: the arguments of the native query other_people would define the type alike_arguments, which the arguments of the native query some_people defines",
    ]);
  });
});
