import type { GraphQLObjectType } from "graphql";
import { describe, expect, test } from "vitest";
import { library, stateOf, type World } from "../testing/world.ts";
import { camelCase, Naming, pascalCase } from "@routeql/metadata/naming";

test.each([
  ["author", "author", "Author"],
  ["user_address", "userAddress", "UserAddress"],
  ["_is_null", "_isNull", "_isNull"],
  ["createdAt", "createdAt", "CreatedAt"],
  ["Track", "track", "Track"],
  ["a__b_", "aB", "AB"],
])("%s in camel case is %s, in pascal case %s", (name, camel, pascal) => {
  expect(camelCase(name)).toBe(camel);
  expect(pascalCase(name)).toBe(pascal);
});

const table = (name: string, schema = "public") => ({ schema, name });

const customization = { root_fields: { prefix: "a_", suffix: "_b" }, type_names: { prefix: "p_", suffix: "_s" } };

describe("hasura-default", () => {
  const naming = new Naming(customization, "hasura-default");
  const author = naming.base(undefined, table("author"));

  test("keeps names and puts prefix and suffix around them", () => {
    expect(naming.type(author, "bool_exp")).toBe("p_author_bool_exp_s");
    expect(naming.rootField("author_aggregate")).toBe("a_author_aggregate_b");
    expect(naming.field("distinct_on")).toBe("distinct_on");
    expect(naming.functionArguments("search_authors")).toBe("p_search_authors_args_s");
    expect(naming.computedFieldArguments("full_name", author)).toBe("p_full_name_author_args_s");
    expect(naming.predicateColumns(author, "bool_and")).toBe(
      "p_author_select_column_author_aggregate_bool_exp_bool_and_arguments_columns_s",
    );
    expect(naming.shared("cursor_ordering")).toBe("p_cursor_ordering_s");
    expect(naming.namespaceType("shop", "subscription")).toBe("p_shop_subscription_s");
  });

  test("adds no prefix and suffix to shared types and aggregate predicates", () => {
    expect(naming.scalarType("String", "comparison_exp")).toBe("String_comparison_exp");
    expect(naming.unaffixed("order_by")).toBe("order_by");
    expect(naming.aggregatePredicates(author)).toBe("author_aggregate_bool_exp");
    expect(naming.aggregatePredicate(author, "bool_and")).toBe("author_aggregate_bool_exp_bool_and");
  });
});

describe("graphql-default", () => {
  const naming = new Naming({}, "graphql-default");
  const automatic = naming.base(undefined, table("user_address"));
  const chosen = naming.base("my_Addresses", table("user_address"));

  test("names types in pascal case and fields in camel case, except custom names", () => {
    expect([
      naming.type(automatic),
      naming.type(automatic, "bool_exp"),
      naming.type(automatic, "aggregate_fields"),
    ]).toEqual(["UserAddress", "UserAddressBoolExp", "UserAddressAggregateFields"]);
    expect([naming.type(chosen), naming.type(chosen, "bool_exp")]).toEqual(["my_Addresses", "my_AddressesBoolExp"]);
    expect(naming.suffixed(automatic.field, "by_pk")).toBe("userAddressByPk");
    expect(naming.suffixed(chosen.field, "aggregate")).toBe("my_AddressesAggregate");
  });

  test.each([
    [table("_users"), "_users", "_users"],
    [table("Users_2"), "users2", "Users2"],
    [table("user", "app_data"), "appDataUser", "AppDataUser"],
    [table("_user_log", "app"), "app_userLog", "App_userLog"],
    [table("log", "_app"), "_appLog", "_appLog"],
  ])("splits the schema name off: %o is %s and %s", (name, field, type) => {
    expect(naming.base(undefined, name)).toMatchObject({ field, type });
  });

  test("names the aggregate of a relationship by its place, as Hasura does", () => {
    const places = ["field", "filter", "order"] as const;
    expect(places.map((place) => naming.aggregateOf("user_posts", place))).toEqual([
      "userPostsAggregate",
      "user_postsAggregate",
      "user_postsAggregate",
    ]);
    expect(places.map((place) => naming.aggregateOf("UserPosts", place))).toEqual([
      "userPostsAggregate",
      "UserPostsAggregate",
      "userPostsAggregate",
    ]);
    const other = new Naming({}, "hasura-default");
    expect(places.map((place) => other.aggregateOf("UserPosts", place))).toEqual([
      "UserPosts_aggregate",
      "UserPosts_aggregate",
      "UserPosts_aggregate",
    ]);
  });

  test("names aggregate predicates like fields, and keeps snake case in computed arguments", () => {
    expect(naming.aggregatePredicates(automatic)).toBe("UserAddressAggregateBoolExp");
    expect(naming.aggregatePredicate(automatic, "bool_and")).toBe("userAddressAggregateBoolExpBool_and");
    expect(naming.predicateColumnsTitle(automatic, "bool_and")).toBe(
      "userAddressAggregateBoolExpBool_andArgumentsColumns",
    );
    expect(naming.predicateColumns(chosen, "bool_and")).toBe(
      "my_AddressesSelectColumnMy_AddressesAggregateBoolExpBool_andArgumentsColumns",
    );
    expect(naming.functionArguments("search_users")).toBe("searchUsersArgs");
    expect(naming.computedFieldArguments("full_name", automatic)).toBe("full_name_user_address_args");
    expect(naming.computedFieldArguments("full_name", chosen)).toBe("full_name_my_Addresses_args");
  });

  test("keeps a prefix as it is, and capitalises the rest", () => {
    const around = new Naming(
      { root_fields: { prefix: "my_app", suffix: "now" }, type_names: { prefix: "my_app", suffix: "type" } },
      "graphql-default",
    );
    expect(around.rootField("userAddress")).toBe("my_appUserAddressNow");
    expect(around.type(automatic, "order_by")).toBe("my_appUserAddressOrderByType");
    expect(around.namespaceType("shop", "query")).toBe("my_appShop_queryType");
    expect(new Naming({ root_fields: { suffix: "now" } }, "graphql-default").rootField("my_addresses")).toBe(
      "my_addressesNow",
    );
  });

  test("appears in a role's schema, with enum table values in capitals", async () => {
    const state = await stateOf({ ...library, customization: { naming_convention: "graphql-default" } });
    const { query, schema } = state.schema("admin");
    expect(Object.keys(query.getFields()).filter((name) => name.startsWith("author"))).toEqual([
      "author",
      "authorAggregate",
      "authorByPk",
    ]);
    expect(query.getFields()["author"]?.args.map(({ name }) => name)).toEqual([
      "where",
      "orderBy",
      "limit",
      "offset",
      "distinctOn",
    ]);
    expect(schema.getType("ArticleBoolExp")).toBeDefined();
    expect(schema.getType("StringComparisonExp")).toBeDefined();
    expect(schema.getType("OrderBy")?.toConfig()).toHaveProperty("values.ASC_NULLS_FIRST");
    expect(Object.keys((schema.getType("Article") as typeof query).getFields())).toContain("authorId");
    expect(Object.keys((schema.getType("searchArticlesArgs") as typeof query).getFields())).toEqual(["most", "term"]);
  });

  test("rejects two root fields with one name, from any origin", async () => {
    const world = (configuration: object): World => ({
      ...library,
      metadata: { ...library.metadata, secret: { configuration } },
    });
    await expect(stateOf(world({ custom_name: "author_aggregate" }))).rejects.toThrow(
      "public.secret would define the root field author_aggregate, which public.author defines",
    );
    await expect(stateOf(world({ custom_root_fields: { select: "search_articles" } }))).rejects.toThrow(
      "the function public.search_articles would define the root field search_articles, which public.secret defines",
    );
    await expect(stateOf(world({ custom_root_fields: { select: "secrets" } }))).resolves.toBeDefined();
  });

  test("rejects a table with two columns for one field, unless one has a custom name", async () => {
    const world = (entry: Readonly<Record<string, unknown>>): World => ({
      tables: { person: { columns: { id: "int4 not null", last_name: "text", lastName: "text" } } },
      metadata: { person: entry },
      customization: { naming_convention: "graphql-default" },
    });
    await expect(stateOf(world({}))).rejects.toThrow(
      "the columns last_name and lastName would both be the field lastName",
    );
    const state = await stateOf(
      world({ configuration: { column_config: { lastName: { custom_name: "other_name" } } } }),
    );
    expect(Object.keys((state.schema("admin").schema.getType("Person") as GraphQLObjectType).getFields())).toEqual([
      "id",
      "lastName",
      "other_name",
    ]);
  });
});

describe("rejects metadata whose schema would have an invalid name", () => {
  const mood: World = {
    tables: { person: { columns: { id: "int4 not null", mood: "my-mood", moods: "_my-mood" }, primaryKey: ["id"] } },
    metadata: { person: {} },
  };

  test("of the type of a column", async () => {
    await expect(stateOf(mood)).rejects.toThrow(
      'the column mood has no GraphQL type: "my-mood" is not a GraphQL name; rename the type in the database',
    );
  });

  test.each([
    [{ name: "my-term", type: "text" }, "its name is not a GraphQL name"],
    [{ name: "term", type: "my-mood" }, '"my-mood" is not a GraphQL name; rename the type in the database'],
  ])("of the argument %j of a function", async (argument, reason) => {
    const world: World = {
      ...library,
      functions: {
        ...library.functions,
        search_articles: { arguments: [argument], returns: { table: "article", set: true } },
      },
    };
    await expect(stateOf(world)).rejects.toThrow(
      `the argument "${argument.name}" of the function public.search_articles cannot be in the schema: ${reason}`,
    );
  });

  test.each([{ type_names: { prefix: "my-" } }, { root_fields: { suffix: " now" } }])(
    "by the customization %j",
    async (customization) => {
      await expect(async () => stateOf({ ...library, customization })).rejects.toThrow("this is not a GraphQL name");
    },
  );
});

describe("rejects a table whose type would have the name of another type", () => {
  const world = (name: string, entry: Readonly<Record<string, unknown>> = {}): World => ({
    ...library,
    tables: { ...library.tables, [name]: { columns: { id: "int4 not null" }, primaryKey: ["id"] } },
    metadata: { ...library.metadata, [name]: entry },
  });

  test.each([
    ["bigint", "the type of the column public.article.id"],
    ["query_root", "a type of every schema"],
    ["author_order_by", "a type of public.author"],
  ])("the table %s, like %s", async (name, origin) => {
    await expect(stateOf(world(name))).rejects.toThrow(
      `its GraphQL type would be called ${name}, like ${origin}; give it a custom_name`,
    );
    await expect(stateOf(world(name, { configuration: { custom_name: "other" } }))).resolves.toBeDefined();
  });

  test("not one with the name of a type that no column has", async () => {
    await expect(stateOf(world("date"))).resolves.toBeDefined();
  });
});
