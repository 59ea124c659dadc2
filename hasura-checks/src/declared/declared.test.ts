import { describe, expect, test } from "vitest";
import { validateMetadata } from "@routeql/metadata/read/validate";
import { readCatalog, type Catalog } from "@routeql/metadata/catalog/catalog";
import { catalogAnswer } from "@routeql/metadata/testing/catalog";
import { type DeclaredAccess, declaredAccess } from "./declared.ts";

const source = (tables: readonly unknown[], more: Readonly<Record<string, unknown>> = {}) => ({
  name: "default",
  kind: "postgres",
  configuration: { connection_info: { database_url: { from_env: "NOWHERE" } } },
  tables,
  ...more,
});

function derive(
  sources: readonly unknown[],
  root: Readonly<Record<string, unknown>> = {},
  catalog?: Catalog,
): DeclaredAccess {
  const merged = { version: 3, sources, ...root };
  const { metadata, problems } = validateMetadata(
    { merged, problems: [], locate: () => ({ file: "", path: "" }) },
    { allowUnsupported: false },
  );
  if (metadata === undefined) throw new Error(JSON.stringify(problems));
  return declaredAccess(metadata, catalog === undefined ? {} : { catalog });
}

const grant = (role: string, permission: Readonly<Record<string, unknown>>) => ({
  role,
  permission: { columns: ["b", "a"], filter: {}, ...permission },
});

describe("the granted permissions", () => {
  const access = derive([
    source([
      {
        table: "plain",
        select_permissions: [grant("reader", { limit: 5 }), grant("counter", { allow_aggregations: true })],
      },
      {
        table: { schema: "other", name: "cut" },
        select_permissions: [
          grant("reader", {
            allow_aggregations: true,
            query_root_fields: ["select_aggregate"],
            subscription_root_fields: [],
          }),
        ],
      },
    ]),
  ]);

  test("contain the read operations, and aggregates only if they are allowed", () => {
    expect([...(access.permission("reader", "public.plain")?.operations ?? [])]).toEqual([
      "query",
      "live query",
      "stream",
    ]);
    expect([...(access.permission("counter", "public.plain")?.operations ?? [])]).toEqual([
      "query",
      "query aggregate",
      "live query",
      "live aggregate",
      "stream",
    ]);
  });

  test("contain only the listed root fields", () => {
    expect([...(access.permission("reader", "other.cut")?.operations ?? [])]).toEqual(["query aggregate"]);
  });

  test("contain the columns and the limit", () => {
    expect(access.permission("reader", "public.plain")).toMatchObject({ columns: ["a", "b"], limit: 5 });
    expect(access.permission("counter", "public.plain")?.limit).toBeUndefined();
  });

  test("are empty without a permission", () => {
    expect(access.permission("counter", "other.cut")).toBeUndefined();
    expect(access.permission("nobody", "public.plain")).toBeUndefined();
    expect(access.roles).toEqual(["counter", "reader"]);
  });

  test("have the root field of a table outside the schema public", () => {
    expect(access.tables.get("other.cut")?.rootField).toBe("other_cut");
  });
});

describe("information from the database", () => {
  const answer = catalogAnswer(
    {
      author: { columns: { id: "int4 not null", full_name: "text", secret: "text" }, primaryKey: ["id"] },
      article: {
        columns: { id: "int4 not null", author_id: "int4", title: "text" },
        primaryKey: ["id"],
        references: [{ columns: ["author_id"], table: "author", targetColumns: ["id"] }],
      },
    },
    {
      search: {
        arguments: [
          { name: "term", type: "text" },
          { name: "hasura_session", type: "json" },
        ],
        defaults: 0,
        returns: { table: "article", set: true },
      },
      draw: { arguments: [], returns: { table: "article", set: true }, volatility: "v" },
      initials: { arguments: [{ name: "row", type: "author" }], returns: { type: "text" } },
      articles_of: { arguments: [{ name: "row", type: "author" }], returns: { table: "article", set: true } },
      latest_of: { arguments: [{ name: "row", type: "author" }], returns: { table: "article", set: false } },
    },
  );

  async function library(more: Readonly<Record<string, unknown>> = {}, root: Readonly<Record<string, unknown>> = {}) {
    const names = [{ schema: "public", name: "unused" }];
    const catalog = await readCatalog({ tables: names, functions: names, enumTables: [] }, () =>
      Promise.resolve(answer),
    );
    return derive(
      [
        source(
          [
            {
              table: "author",
              configuration: { custom_name: "writer", column_config: { full_name: { custom_name: "name" } } },
              array_relationships: [
                { name: "articles", using: { foreign_key_constraint_on: { table: "article", column: "author_id" } } },
              ],
              computed_fields: [
                { name: "initials", definition: { function: "initials" } },
                { name: "works", definition: { function: "articles_of" } },
                { name: "latest", definition: { function: "latest_of" } },
              ],
              select_permissions: [
                grant("every", { columns: "*" }),
                grant("names", { columns: ["full_name"], filter: { id: { _gt: 1 } }, limit: 5 }),
                grant("keys", {
                  columns: ["id"],
                  filter: { id: { _lt: 9 } },
                  limit: 7,
                  allow_aggregations: true,
                  computed_fields: ["initials"],
                }),
              ],
            },
            {
              table: "article",
              object_relationships: [{ name: "author", using: { foreign_key_constraint_on: "author_id" } }],
              select_permissions: [grant("every", { columns: ["title"] })],
            },
          ],
          {
            functions: [
              { function: "search", configuration: { session_argument: "hasura_session" } },
              { function: "draw", configuration: { exposed_as: "query" }, permissions: [{ role: "names" }] },
            ],
            ...more,
          },
        ),
      ],
      root,
      catalog,
    );
  }

  test("contains all columns, their GraphQL names and the primary key", async () => {
    const access = await library();
    expect(access.permission("every", "public.author")?.columns).toEqual(["full_name", "id", "secret"]);
    expect(access.tables.get("public.author")?.fields.get("full_name")).toBe("name");
    expect(access.tables.get("public.author")?.roots).toEqual({
      select: "writer",
      select_by_pk: "writer_by_pk",
      select_aggregate: "writer_aggregate",
      select_stream: "writer_stream",
    });
    expect([...(access.permission("every", "public.author")?.operations ?? [])]).toContain("query by key");
    expect([...(access.permission("names", "public.author")?.operations ?? [])]).not.toContain("query by key");
  });

  test("contains relationships by foreign keys, from both ends", async () => {
    const access = await library();
    expect(access.tables.get("public.author")?.relationships).toEqual([
      { name: "articles", kind: "array", target: "public.article", mapping: { id: "author_id" } },
    ]);
    expect(access.tables.get("public.article")?.relationships).toEqual([
      { name: "author", kind: "object", target: "public.author", mapping: { author_id: "id" } },
    ]);
  });

  test("contains functions, their permissions and computed fields", async () => {
    const access = await library();
    const [search, draw] = access.functions;
    expect(search).toMatchObject({
      field: "search",
      aggregateField: "search_aggregate",
      target: "public.article",
      session: { name: "hasura_session" },
      arguments: [{ field: "term", hasDefault: false }],
    });
    if (search === undefined || draw === undefined) throw new Error("there is a function too few");
    expect([access.mayCall("every", search), access.mayCall("every", draw), access.mayCall("names", draw)]).toEqual([
      true,
      false,
      true,
    ]);
    expect(access.tables.get("public.author")?.computedFields).toMatchObject([
      { name: "initials", target: undefined },
      { name: "works", target: "public.article" },
      { name: "latest", target: "public.article" },
    ]);
  });

  test("an inherited role has all rows of its roles, the cells they grant, and the largest limit", async () => {
    const access = await library(
      {},
      {
        inherited_roles: [
          { role_name: "both", role_set: ["names", "keys"] },
          { role_name: "more", role_set: ["both", "every"] },
        ],
      },
    );
    expect(access.permission("both", "public.author")).toMatchObject({
      columns: ["full_name", "id"],
      limit: 7,
      aggregates: true,
      filter: { _or: [{ id: { _gt: 1 } }, { id: { _lt: 9 } }] },
    });
    expect(Object.fromEntries(access.permission("both", "public.author")?.cells ?? [])).toEqual({
      full_name: { _or: [{ id: { _gt: 1 } }] },
      id: { _or: [{ id: { _lt: 9 } }] },
      initials: { _or: [{ id: { _lt: 9 } }] },
    });
    expect([...(access.permission("both", "public.author")?.operations ?? [])]).toContain("query by key");
    expect(access.permission("more", "public.author")).toMatchObject({
      columns: ["full_name", "id", "secret"],
      limit: 7,
    });
    expect(access.permission("more", "public.article")?.columns).toEqual(["title"]);
  });

  test("supports camel case, a prefix and a root field namespace", async () => {
    const access = await library({
      customization: { naming_convention: "graphql-default", root_fields: { namespace: "shop", prefix: "my_" } },
    });
    expect(access.namespace).toBe("shop");
    expect(access.tables.get("public.article")?.roots.select_by_pk).toBe("my_ArticleByPk");
    expect(access.tables.get("public.article")?.fields.get("author_id")).toBe("authorId");
  });
});

test.each([
  ["two sources", () => derive([source([]), { ...source([]), name: "second" }]), "exactly one source"],
  ["functions", () => derive([source([], { functions: [{ function: "search" }] })]), "needs a database"],
  [
    "all columns",
    () => derive([source([{ table: "t", select_permissions: [grant("r", { columns: "*" })] }])]),
    "grants all columns",
  ],
  [
    "computed fields",
    () => derive([source([{ table: "t", computed_fields: [{ name: "c", definition: { function: "f" } }] }])]),
    "needs a database",
  ],
  [
    "foreign keys",
    () =>
      derive([
        source([{ table: "t", object_relationships: [{ name: "r", using: { foreign_key_constraint_on: "x" } }] }]),
      ]),
    "follows a foreign key",
  ],
])("refuses metadata with %s without a database", (_what, read, reason) => {
  expect(read).toThrow(reason);
});
