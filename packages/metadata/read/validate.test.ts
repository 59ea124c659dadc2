import { describe, expect, test } from "vitest";
import { loadMetadata } from "./load.ts";
import { validateMetadata } from "./validate.ts";

const configuration = { connection_info: { database_url: { from_env: "DATABASE_URL" } } };

function metadata(table: Readonly<Record<string, unknown>>, rest: Readonly<Record<string, unknown>> = {}) {
  return {
    version: 3,
    sources: [{ name: "default", kind: "postgres", configuration, tables: [{ table: "author", ...table }] }],
    ...rest,
  };
}

function check(merged: Readonly<Record<string, unknown>>, allowUnsupported = false) {
  return validateMetadata(loadMetadata(merged), { allowUnsupported });
}

test("accepts the values that the Hasura CLI writes for unused features", () => {
  const empty = {
    actions: [],
    custom_types: { enums: [], input_objects: [], objects: [], scalars: [] },
    cron_triggers: [],
    network: {},
    rest_endpoints: null,
  };
  const { metadata: valid, problems } = check(metadata({ insert_permissions: [], event_triggers: [] }, empty));
  expect(problems).toEqual([]);
  expect(valid?.sources[0]?.tables[0]?.table).toEqual({ schema: "public", name: "author" });
});

test("lists every problem with its path", () => {
  const { metadata: valid, problems } = check(
    metadata(
      {
        select_permission: [],
        object_relationships: [{ name: "1x", using: {} }],
        select_permissions: [{ role: "a", permission: { columns: ["id"], filter: {}, alow_aggregations: true } }],
      },
      { version: 2, surplus: 1 },
    ),
  );
  expect(valid).toBeUndefined();
  expect(problems.map(({ path, reason }) => `${path}: ${reason}`).sort()).toEqual([
    "sources[0].tables[0].object_relationships[0].name: this is not a GraphQL name",
    "sources[0].tables[0].object_relationships[0].using: exactly one of foreign_key_constraint_on and manual_configuration is needed",
    "sources[0].tables[0].select_permission: unknown key",
    "sources[0].tables[0].select_permissions[0].permission.alow_aggregations: unknown key",
    "surplus: unknown key",
    "version: only metadata version 3 is served",
  ]);
});

test("reports a misspelt required key once", () => {
  const { problems } = check(
    metadata({ select_permissions: [{ rol: "a", permission: { columns: ["id"], filter: {} } }] }),
  );
  expect(problems.map(({ path, reason }) => `${path}: ${reason}`)).toEqual([
    "sources[0].tables[0].select_permissions[0].rol: unknown key, and the required key role is missing",
  ]);
});

test("reports an unknown key and a missing one that is no misspelling of it", () => {
  const { problems } = check(
    metadata({ select_permissions: [{ comment_of_mine: "a", permission: { columns: ["id"], filter: {} } }] }),
  );
  expect(problems.map(({ path, reason, passedOver }) => [path, reason, passedOver])).toEqual([
    ["sources[0].tables[0].select_permissions[0].role", "this key is required", undefined],
    ["sources[0].tables[0].select_permissions[0].comment_of_mine", "unknown key", true],
  ]);
});

describe("a feature of Hasura that this engine lacks", () => {
  const unserved = metadata(
    { remote_relationships: [{ name: "r" }], event_triggers: [{ name: "t" }] },
    { actions: [{ name: "login" }], remote_schemas: [{ name: "other" }] },
  );

  test("is rejected as unsupported", () => {
    const { metadata: valid, problems } = check(unserved);
    expect(valid).toBeUndefined();
    expect(problems.map(({ path, kind }) => [path, kind])).toEqual([
      ["sources[0].tables[0].event_triggers", "unsupported"],
      ["sources[0].tables[0].remote_relationships", "unsupported"],
      ["actions", "unsupported"],
      ["remote_schemas", "unsupported"],
    ]);
    expect(problems[0]?.reason).toBe("Hasura knows this, but this engine does not serve event triggers");
  });

  test("is removed and listed with allowUnsupported", () => {
    const { metadata: valid, problems } = check(unserved, true);
    expect(valid?.sources[0]?.tables).toHaveLength(1);
    expect(problems).toHaveLength(4);
  });

  test.each([
    [
      "a relationship to another source",
      { manual_configuration: { remote_table: "author", source: "other", column_mapping: { id: "id" } } },
    ],
  ])("is removed as a whole: %s", (_what, using) => {
    const { metadata: valid, problems } = check(
      metadata({
        array_relationships: [
          { name: "kept", using: { foreign_key_constraint_on: { table: "a", column: "b" } } },
          { name: "others", using },
        ],
      }),
      true,
    );
    expect(problems.map(({ kind }) => kind)).toEqual(["unsupported"]);
    expect(valid?.sources[0]?.tables[0]?.array_relationships.map(({ name }) => name)).toEqual(["kept"]);
  });

  test("says a wrong type in words, each form once", () => {
    const table = { table: "note", select_permissions: [{ role: "a", permission: { columns: 3, filter: [] } }] };
    const source = { name: "s", configuration: { connection_info: { database_url: 5 } }, tables: [table] };
    expect(check({ version: 3, sources: [source] }).problems.map(({ reason }) => reason)).toEqual([
      "this is neither of the forms that are allowed here (a text is expected, and this is a number; an object is expected, and this is a number)",
      expect.stringContaining("a list is expected, and this is a number"),
      "an object is expected, and this is a list",
    ]);
  });

  test("removes its source if the source would have another connection without it", () => {
    const source = {
      name: "secure",
      configuration: { connection_info: { database_url: { dynamic_from_file: "/run/url" } } },
      tables: [],
    };
    const { sources } = metadata({});
    expect(
      check({ version: 3, sources: [source, ...sources] }, true).metadata?.sources.map(({ name }) => name),
    ).toEqual(["default"]);
  });

  test("does not hide other problems", () => {
    expect(check({ ...unserved, surplus: 1 }, true).metadata).toBeUndefined();
  });
});

test.each([
  ["a string", "author_id", ["author_id"]],
  ["a list", ["a", "b"], ["a", "b"]],
])("columns of a foreign key can be %s", (_what, given, columns) => {
  const { metadata: valid } = check(
    metadata({ object_relationships: [{ name: "author", using: { foreign_key_constraint_on: given } }] }),
  );
  expect(valid?.sources[0]?.tables[0]?.object_relationships[0]?.using.foreign_key_constraint_on).toEqual(columns);
});

test("reads names of root fields, and the order of nested inserts", () => {
  const {
    metadata: valid,
    problems,
    notes,
  } = check(
    metadata({
      configuration: { custom_root_fields: { select: "authors", insert: "add_author" } },
      object_relationships: [
        {
          name: "a",
          using: {
            manual_configuration: { remote_table: "a", column_mapping: { id: "id" }, insertion_order: "before_parent" },
          },
        },
      ],
    }),
  );
  expect(problems).toEqual([]);
  const table = valid?.sources[0]?.tables[0];
  expect(table?.configuration?.custom_root_fields?.select?.name).toBe("authors");
  expect(table?.configuration?.custom_root_fields?.insert?.name).toBe("add_author");
  expect(notes).toEqual([]);
});

test("refuses another kind of database", () => {
  const { problems } = check({ version: 3, sources: [{ name: "default", kind: "mssql", configuration }] });
  expect(problems[0]?.reason).toBe("this engine serves Postgres sources only");
});
