import { createEngine, type Engine, type EngineOptions } from "@routeql/engine";
import { startDatabase, type StartedDatabaseContainer } from "../../harness/containers/database-container.ts";
import { sourceAt } from "./source.ts";

export const librarySql = `
  create type public.mood as enum ('calm', 'angry');
  create domain public.short_text as text check (length(value) < 100);
  create table public.author (id int primary key, name text not null);
  insert into public.author values (1, 'Ada'), (2, 'Bea');
  create table public.article (id int primary key, title text not null, content text not null, author_id int references public.author, published boolean not null, facts jsonb);
  insert into public.article values
    (1, 'Dogs', 'I like to eat dog food', 1, true, '{"legs": 4}'),
    (2, 'Cats', 'I like to eat cat food', 1, false, null),
    (3, 'Birds', 'I do not eat', 2, true, '{"legs": 2}');`;

/** The database of the native query tests: two authors, three articles. */
export async function startLibrary(): Promise<StartedDatabaseContainer> {
  const database = await startDatabase();
  await using admin = await database.connect("bootstrap");
  await admin.query(librarySql);
  return database;
}

const excerpts = {
  name: "excerpt",
  description: "A part of an article",
  fields: [
    { name: "id", type: { scalar: "integer" }, description: "Of the article" },
    { name: "author_id", type: { scalar: "integer", nullable: true } },
    { name: "title", type: "text" },
    { name: "excerpt", type: { scalar: "text" } },
    { name: "published", type: "boolean" },
    { name: "facts", type: { scalar: "jsonb", nullable: true } },
  ],
  select_permissions: [
    {
      role: "reader",
      permission: { columns: ["id", "title", "excerpt"], filter: { published: { _eq: true } }, limit: 2 },
    },
    { role: "author", permission: { columns: "*", filter: { author_id: { _eq: "X-Hasura-User-Id" } } } },
    { role: "titles", permission: { columns: ["title"], filter: {} } },
  ],
};

const excerptCode = `
  SELECT id, author_id, title, substring(content, 1, {{length}}) || CASE WHEN length(content) < {{length}} THEN '' ELSE '...' END AS excerpt, published, facts
  FROM article -- of them all;
`;

const greetings = "SELECT * FROM (VALUES ('hello', 'world'), ('hello', 'friend'), ('welcome', 'guest')) AS t(one, two)";

/** Logical models and native queries over that database, and tables related to them. */
export const library = {
  tables: [
    {
      table: "author",
      array_relationships: [
        {
          name: "excerpts",
          using: { manual_configuration: { remote_native_query: "excerpts", column_mapping: { id: "author_id" } } },
        },
      ],
      select_permissions: [{ role: "reader", permission: { columns: ["id", "name"], filter: { id: { _lt: 2 } } } }],
    },
    { table: "article" },
  ],
  logical_models: [
    excerpts,
    {
      name: "greeting",
      fields: [
        { name: "one", type: "text" },
        { name: "two", type: "text" },
      ],
    },
    {
      name: "writer",
      fields: [
        { name: "id", type: { scalar: "int4" } },
        { name: "name", type: { scalar: "text" } },
        { name: "written", type: { array: { logical_model: "excerpt" } } },
      ],
      select_permissions: [{ role: "reader", permission: { columns: "*", filter: {} } }],
    },
  ],
  native_queries: [
    {
      root_field_name: "excerpts",
      description: "Articles, cut",
      code: excerptCode,
      returns: "excerpt",
      arguments: { length: { type: "integer", description: "In characters" } },
      object_relationships: [
        {
          name: "author",
          using: { remote_table: { schema: "public", name: "author" }, column_mapping: { author_id: "id" } },
        },
        { name: "writer", using: { remote_native_query: "writers", column_mapping: { author_id: "id" } } },
      ],
    },
    {
      root_field_name: "writers",
      code: "SELECT id, name::short_text AS name FROM author;  ",
      returns: "writer",
      array_relationships: [
        { name: "written", using: { remote_native_query: "excerpts", column_mapping: { id: "author_id" } } },
      ],
    },
    { root_field_name: "GREETINGS", code: greetings, returns: "greeting" },
    {
      root_field_name: "echo",
      code: "SELECT {{word}} AS word, {{number}} AS number, {{mood}} AS mood",
      arguments: {
        word: { type: "text", nullable: true },
        number: { type: "bigint", nullable: true },
        mood: { type: "mood", nullable: true },
      },
      returns: {
        fields: [
          { name: "word", type: { scalar: "text", nullable: true } },
          { name: "number", type: { scalar: "bigint", nullable: true } },
          { name: "mood", type: { scalar: "mood", nullable: true } },
        ],
        select_permissions: [
          { role: "reader", permission: { columns: ["word"], filter: { word: { _neq: "secret" } } } },
        ],
      },
    },
    {
      root_field_name: "lengths",
      code: "SELECT length({{prefix}} || title) AS length, count(*)::int AS articles FROM article GROUP BY length({{prefix}} || title)",
      arguments: { prefix: { type: "text" } },
      returns: {
        fields: [
          { name: "length", type: "int" },
          { name: "articles", type: "int" },
        ],
      },
    },
  ],
};

/**
 * An engine over this library, or over other metadata for that database.
 * @throws MetadataError
 */
export function engineOn(
  database: StartedDatabaseContainer,
  contents: object = library,
  options: Partial<EngineOptions> = {},
): Promise<Engine> {
  const source = { ...sourceAt(database.getConnectionUri("bootstrap"), { tables: [] }), ...contents };
  const inherited = contents === library ? [{ role_name: "both", role_set: ["reader", "author"] }] : [];
  return createEngine({
    metadata: { version: 3, sources: [source], inherited_roles: inherited },
    poolSize: 2,
    ...options,
  });
}
