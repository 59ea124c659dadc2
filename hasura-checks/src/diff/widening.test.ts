import { describe, expect, test } from "vitest";
import { readProject } from "../metadata/project.ts";
import { MetadataFolder, sound, tableFile } from "../testing/tool.ts";
import { accessChanges } from "./widening.ts";

function compare(before: MetadataFolder, after: MetadataFolder) {
  const [one, other] = [before, after].map((folder) => readProject("metadata", folder.path));
  if (one?.metadata === undefined || other?.metadata === undefined)
    throw new Error("the metadata of the test are wrong");
  return accessChanges({ project: one, metadata: one.metadata }, { project: other, metadata: other.metadata }).map(
    ({ direction, reason }) => `${direction}: ${reason}`,
  );
}

function changed(before: string, after: string): readonly string[] {
  using one = new MetadataFolder([tableFile("note", before)]);
  using other = new MetadataFolder([tableFile("note", after)]);
  return compare(one, other);
}

const owner = "filter:\n  owner: {_eq: X-Hasura-User-Id}";

describe.each([
  ["a column more", sound, sound.replace("[id]", "[id, title]"), "wider: reader can now read public.note.title"],
  [
    "all columns",
    sound,
    sound.replace("[id]", '"*"'),
    "wider: reader can now read all columns of public.note, not only id",
  ],
  [
    "a higher limit",
    sound,
    sound.replace("10", "20"),
    "wider: reader gets at most 20 rows of public.note at once, and got at most 10 rows",
  ],
  [
    "no limit",
    sound,
    sound.replace("limit: 10", ""),
    "wider: reader gets any number of rows of public.note at once, and got at most 10 rows",
  ],
  [
    "no filter",
    sound,
    sound.replace(owner, "filter: {}"),
    "wider: reader may read every row of public.note now; the filter was `owner = x-hasura-user-id`",
  ],
  [
    "another filter",
    sound,
    sound.replace("_eq", "_neq"),
    "wider: reader may read other rows of public.note: `owner = x-hasura-user-id` is no longer required; `owner <> x-hasura-user-id` is now required",
  ],
  ["aggregates", sound, `${sound}\nallow_aggregations: true`, "wider: reader can now aggregate public.note"],
])("%s", (_what, before, after, words) => {
  test("is wider", () => expect(changed(before, after)).toEqual([words]));
  test("the reverse change is wider only if it shows other rows", () => {
    const back = changed(after, before);
    expect(back).toHaveLength(1);
    if (!words.includes("other rows")) expect(back[0]).toMatch(/^narrower: /);
  });
});

test("an additional condition is narrower, and a removed one is wider", () => {
  const both = sound.replace(owner, `${owner}\n  title: {_eq: a}`);
  expect(changed(sound, both)[0]).toMatch(/^narrower: reader may read fewer rows/);
  expect(changed(both, sound)[0]).toMatch(/^wider: reader may read more rows/);
});

test("compares root fields, inherited roles, introspection and write permissions", () => {
  using before = new MetadataFolder([tableFile("note", `${sound}\nquery_root_fields: []`)], {
    "metadata/inherited_roles.yaml": "- role_name: both\n  role_set: [reader]\n",
    "metadata/graphql_schema_introspection.yaml": "disabled_for_roles: [reader]\n",
  });
  using after = new MetadataFolder(
    [
      tableFile(
        "note",
        `${sound}\nquery_root_fields: [select]`,
        "delete_permissions:\n  - role: reader\n    permission: {filter: {owner: X-Hasura-User-Id}}\n",
      ),
    ],
    { "metadata/inherited_roles.yaml": "- role_name: both\n  role_set: [reader, other]\n" },
  );
  expect(compare(before, after)).toEqual([
    "wider: reader can now query public.note by select",
    "wider: reader can now delete from public.note",
    "wider: both inherits from other now",
    "wider: reader can introspect its schema now",
  ]);
  expect(compare(after, before).every((change) => change.startsWith("narrower: "))).toBe(true);
});

test("names each changed column of a write permission, and ignores the order of columns", () => {
  const writable = (columns: string, check = "{owner: X-Hasura-User-Id}") =>
    tableFile(
      "note",
      sound,
      `insert_permissions:\n  - role: reader\n    permission: {check: ${check}, columns: [${columns}]}\n`,
    );
  const between = (one: string, other: string) => {
    using before = new MetadataFolder([one]);
    using after = new MetadataFolder([other]);
    return compare(before, after);
  };
  expect(between(writable("id, title"), writable("title, id"))).toEqual([]);
  expect(between(writable("id, title"), writable("id, body, owner"))).toEqual([
    "wider: reader can now set body and owner of public.note by insert",
    "narrower: reader can no longer set public.note.title by insert",
  ]);
  expect(between(writable("id"), writable("id", "{}"))).toEqual([
    "wider: the check of reader accepts every row to insert into public.note now; the check was `owner = x-hasura-user-id`",
  ]);
});

test("compares native queries and the permissions on their logical models", () => {
  const native = (code: string, columns: string) => ({
    "metadata/databases/databases.yaml": `- name: default\n  configuration: {connection_info: {database_url: {from_env: X}}}\n  tables: []\n  logical_models: [{name: digest, fields: [{name: id, type: integer}, {name: title, type: text}], select_permissions: [{role: reader, permission: {columns: ${columns}, filter: {id: 1}}}]}]\n  native_queries: [{root_field_name: digests, returns: digest, code: ${code}}]\n`,
  });
  using before = new MetadataFolder([], native("SELECT * FROM one", "[id]"));
  using after = new MetadataFolder([], native("SELECT * FROM all", "[id, title]"));
  using none = new MetadataFolder([]);
  expect(compare(before, after)).toEqual([
    "wider: reader can now read logical model digest.title",
    "wider: the native query digests gives other rows: its code, its arguments or its logical model changed",
  ]);
  expect(compare(none, before)).toEqual([
    "wider: reader can now read logical model digest (id)",
    "wider: the native query digests is served now",
  ]);
  expect(compare(before, before)).toEqual([]);
});

test("equal metadata has no changes", () => {
  expect(changed(sound, sound)).toEqual([]);
});

describe("a change of a write permission", () => {
  const insert = (permission: string) =>
    tableFile("note", sound, `insert_permissions:\n  - role: reader\n    permission: {${permission}}\n`);
  const update = (permission: string) => insert(permission).replace("insert_permissions", "update_permissions");
  const owned = "check: {owner: X-Hasura-User-Id}, columns: [id, title]";

  test.each([
    [
      "in an _and",
      insert(owned),
      insert("check: {_and: [{owner: {_eq: x-hasura-user-id}}]}, columns: [title, id]"),
      undefined,
    ],
    [
      "a further condition",
      insert(owned),
      insert("check: {owner: X-Hasura-User-Id, title: a}, columns: [id, title]"),
      "narrower",
    ],
    [
      "a preset of a column",
      insert(owned),
      insert("check: {owner: X-Hasura-User-Id}, columns: [id, title], set: {title: a}"),
      "narrower",
    ],
    ["backend_only", insert(owned), insert(`${owned}, backend_only: true`), "narrower"],
    [
      "a check",
      update("filter: {}, columns: [id]"),
      update("filter: {}, check: {owner: X-Hasura-User-Id}, columns: [id]"),
      "narrower",
    ],
    [
      "validation",
      insert(owned),
      insert(`${owned}, validate_input: {type: http, definition: {url: "http://a"}}`),
      "narrower",
    ],
  ])("%s is not wider, and the reverse is wider", (_what, before, after, direction) => {
    using one = new MetadataFolder([before]);
    using other = new MetadataFolder([after]);
    const words = (changes: readonly string[]) => changes.map((change) => change.replace(/:.*/s, ""));
    expect(words(compare(one, other))).toEqual(direction === undefined ? [] : [direction]);
    expect(words(compare(other, one))).toEqual(direction === undefined ? [] : ["wider"]);
  });

  test("another filter of a deletion names the rows", () => {
    const remove = (filter: string) =>
      tableFile("note", sound, `delete_permissions:\n  - {role: reader, permission: {filter: ${filter}}}\n`);
    using one = new MetadataFolder([remove("{owner: X-Hasura-User-Id}")]);
    using other = new MetadataFolder([remove("{org: X-Hasura-Org-Id}")]);
    expect(compare(one, other)).toEqual([
      "wider: reader may delete other rows of public.note: `owner = x-hasura-user-id` is no longer required; `org = x-hasura-org-id` is now required",
    ]);
  });

  test("another preset is changed", () => {
    using one = new MetadataFolder([insert("check: {}, columns: [id], set: {owner: X-Hasura-User-Id}")]);
    using other = new MetadataFolder([insert("check: {}, columns: [id], set: {owner: X-Hasura-Org-Id}")]);
    expect(compare(one, other)).toEqual([
      'changed: the value of public.note.owner for reader is "x-hasura-org-id", and was "x-hasura-user-id"',
    ]);
  });
});

test("a relationship that is defined in another way is a change to look at", () => {
  const through = (using: string) =>
    tableFile(
      "note",
      "columns: [id]\nfilter: {author: {id: X-Hasura-User-Id}}",
      `object_relationships:\n  - {name: author, using: {${using}}}\n`,
    );
  using before = new MetadataFolder([through("foreign_key_constraint_on: author_id")]);
  using after = new MetadataFolder([
    through("manual_configuration: {remote_table: author, column_mapping: {author_id: id}}"),
  ]);
  expect(compare(before, after)).toEqual([
    "changed: reader may read other rows of public.note: author is defined in another way",
  ]);
});
