import type { World } from "./world.ts";

/** Authors and articles. Role `reader` may read published articles of visible authors, and no e-mail addresses. */
export const library: World = {
  tables: {
    author: {
      columns: {
        id: "int4 not null",
        name: "text",
        email: "text",
        hidden: "bool not null",
        born: "timestamp",
        score: "numeric",
      },
      primaryKey: ["id"],
    },
    article: {
      columns: {
        id: "int8 not null",
        title: "varchar not null",
        author_id: "int4 not null",
        published: "bool",
        tags: "_text",
        body: "jsonb",
        editor_id: "int4",
      },
      primaryKey: ["id"],
      references: [{ columns: ["author_id"], table: "author", targetColumns: ["id"] }],
    },
    secret: { columns: { id: "int4 not null" } },
  },
  functions: {
    full_name: { arguments: [{ name: "author_row", type: "author" }], returns: { type: "text" } },
    search_articles: {
      arguments: [
        { name: "term", type: "text" },
        { name: "most", type: "int4" },
      ],
      defaults: 1,
      returns: { table: "article", set: true },
    },
  },
  trackedFunctions: [{ function: "search_articles" }],
  metadata: {
    author: {
      array_relationships: [
        { name: "articles", using: { foreign_key_constraint_on: { table: "article", column: "author_id" } } },
      ],
      computed_fields: [{ name: "full_name", definition: { function: "full_name", table_argument: "author_row" } }],
      select_permissions: [
        { role: "reader", permission: { columns: ["id", "name"], filter: { hidden: false }, limit: 50 } },
        { role: "counter", permission: { columns: ["id"], filter: {}, allow_aggregations: true, limit: 5 } },
        { role: "self", permission: { columns: "*", filter: { id: "X-Hasura-User-Id" } } },
      ],
    },
    article: {
      object_relationships: [{ name: "author", using: { foreign_key_constraint_on: "author_id" } }],
      select_permissions: [
        {
          role: "reader",
          permission: { columns: ["id", "title", "author_id"], filter: { published: { _eq: true } }, limit: 10 },
        },
        {
          role: "counter",
          permission: { columns: ["id", "title"], filter: { published: true }, allow_aggregations: true, limit: 5 },
        },
        {
          role: "self",
          permission: { columns: ["id", "title", "body"], filter: { author: { id: { _eq: "X-Hasura-User-Id" } } } },
        },
      ],
    },
    secret: {},
  },
};
