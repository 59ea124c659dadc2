import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readCatalog } from "@routeql/metadata/catalog/catalog";
import { buildState } from "@routeql/engine/execution/state";
import type { Metadata } from "@routeql/metadata/read/shape";
import { catalogAnswer, type FunctionSketch, type TableSketch } from "@routeql/metadata/testing/catalog";
import type { Finding } from "../findings/finding.ts";
import { type Project, readProject } from "../metadata/project.ts";
import type { VisibleRows } from "../permissions/observe/visible-rows.ts";
import { MetadataFolder, sound, tableFile } from "../testing/tool.ts";
import { applicable, applyRules, shapeFindings } from "./apply.ts";
import { allRules } from "./list.ts";

/** A text is a world with one table. */
interface World {
  readonly tables: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  /** Table files of the base revision. */
  readonly base?: readonly string[];
  readonly sessionVariables?: readonly string[];
  readonly unauthorizedRole?: string;
  readonly hasuraVersion?: string;
  /** Rows of the table `public.note` that the role `reader` sees. */
  readonly visible?: Partial<VisibleRows>;
  readonly database?: {
    readonly tables: Readonly<Record<string, TableSketch>>;
    readonly functions?: Readonly<Record<string, FunctionSketch>>;
  };
}

const columns = { id: "int4 not null", owner: "text", title: "text", secret: "text" };
const database = {
  tables: {
    note: { columns, primaryKey: ["id"] },
    tag: { columns: { id: "int4 not null", note_id: "int4" }, primaryKey: ["id"] },
  },
};

/** A file whose query begins after line 5. */
const collection = (query: string): string =>
  `- name: known\n  definition:\n    queries:\n      - name: q\n        query: |\n${query.replaceAll(/^/gm, "          ")}\n`;

/** REST endpoints of a known query. */
const rest = (...urls: readonly string[]): World => ({
  tables: [],
  files: {
    "metadata/query_collections.yaml": collection("{ a }"),
    "metadata/rest_endpoints.yaml": urls
      .map(
        (url, index) =>
          `- {name: r${index}, url: "${url}", methods: [GET], definition: {query: {collection_name: known, query_name: q}}}\n`,
      )
      .join(""),
  },
});

async function find(given: World | string): Promise<readonly Finding[]> {
  const {
    tables,
    files,
    base,
    sessionVariables,
    unauthorizedRole,
    hasuraVersion,
    visible,
    database: sketch,
  }: World = typeof given === "string" ? { tables: [given] } : given;
  using folder = new MetadataFolder(tables, files);
  using before = new MetadataFolder(base ?? []);
  const project = readProject("metadata", folder.path);
  const shape = shapeFindings(project);
  if (project.metadata === undefined) return shape;
  const answer = sketch === undefined ? undefined : catalogAnswer(sketch.tables, sketch.functions);
  const ask = () => Promise.resolve(answer ?? null);
  const stateOf = async ({ loaded }: Project, metadata: Metadata) =>
    answer === undefined
      ? undefined
      : buildState(
          { loaded, metadata, unserved: [], notes: [] },
          { metadata: loaded.merged, allowInconsistent: true, mutations: false },
          () => ask,
        );
  const earlier = readProject(join(before.path, "metadata"), folder.path);
  const names = [{ schema: "public", name: "any" }];
  const examined = {
    project,
    metadata: project.metadata,
    ...(hasuraVersion === undefined ? {} : { hasuraVersion }),
    configuration: {
      sessionVariables: sessionVariables?.map(String),
      inferFunctionPermissions: true,
      unauthorizedRole,
    },
    catalogs:
      answer === undefined ? undefined : [await readCatalog({ tables: names, functions: names, enumTables: [] }, ask)],
    state: await stateOf(project, project.metadata),
    visible:
      visible === undefined
        ? []
        : [
            {
              source: "default",
              role: "reader",
              table: "public.note",
              all: 60,
              visible: [20, 20, 20],
              variables: ["x-hasura-user-id"],
              isSample: false,
              ...visible,
            },
          ],
    base:
      base === undefined || earlier.metadata === undefined
        ? undefined
        : { project: earlier, metadata: earlier.metadata, state: await stateOf(earlier, earlier.metadata) },
  };
  return [...shape, ...applyRules(examined, applicable(examined))];
}

const note = (permission: string, more = "") => tableFile("note", permission, more);
const relationship = (to: string) =>
  `array_relationships:\n  - name: tags\n    using:\n      manual_configuration:\n        remote_table: {schema: public, name: ${to}}\n        column_mapping: {id: note_id}\n`;
const search: FunctionSketch = { arguments: [{ name: "term", type: "text" }], returns: { table: "note", set: true } };
const withFunction = (permissions: string) => ({
  "metadata/databases/databases.yaml": `- name: default\n  configuration: {connection_info: {database_url: {from_env: X}}}\n  tables: "!include default/tables/tables.yaml"\n  functions:\n    - function: {schema: public, name: search}\n${permissions}`,
});
const inheritedRoles = (text: string) => ({ "metadata/inherited_roles.yaml": text });
const inherited = (parts: string) => inheritedRoles(`- role_name: both\n  role_set: [${parts}]\n`);
const second = (lines: string) =>
  `  - role: writer\n    permission:\n      ${lines}\n      filter: {owner: X-Hasura-User-Id}\n`;
const update = (lines: string) => `update_permissions:\n${second(lines).replace("writer", "reader")}`;
const insert = (lines: string) =>
  `insert_permissions:\n  - role: reader\n    permission:\n      columns: [title]\n      check: {}\n      ${lines}\n`;
const deletes = (filter: string) => `delete_permissions:\n  - role: reader\n    permission:\n      filter: ${filter}\n`;
const inserts = (check: string) =>
  `insert_permissions:\n  - role: reader\n    permission:\n      columns: [id]\n      check: ${check}\n`;
const seen = (visible: Partial<VisibleRows>): World => ({ tables: [note(sound)], database, visible });
const migrated = (table: string): World => ({ tables: [table], database });
const filtered = (filter: string) => `columns: [id]\nfilter: ${filter}\nlimit: 5`;
const remoteSchema = (header: string): World => ({
  tables: [],
  files: {
    "metadata/remote_schemas.yaml": `- name: other\n  definition:\n    url_from_env: OTHER\n    headers:\n    - ${header}\n`,
  },
});
const address = (url: string): World => ({
  tables: [],
  files: {
    "metadata/databases/databases.yaml": `- name: default\n  configuration:\n    connection_info:\n      database_url: ${url}\n  tables: "!include default/tables/tables.yaml"\n`,
  },
});

/** One logical model with one permission of role `reader`, which starts at line 8. */
const model = (permission: string): World => ({
  tables: [],
  files: {
    "metadata/databases/databases.yaml": `- name: default\n  configuration: {connection_info: {database_url: {from_env: X}}}\n  tables: []\n  logical_models: "!include models.yaml"\n`,
    "metadata/databases/models.yaml": `- name: digest\n  fields:\n    - {name: id, type: integer}\n    - {name: api_key, type: text}\n  select_permissions:\n  - role: reader\n    permission:\n${permission
      .split("\n")
      .map((line) => `      ${line}\n`)
      .join("")}`,
  },
});

const computed = (name: string) =>
  note(sound, `computed_fields:\n  - name: ${name}\n    definition: {function: {schema: public, name: ${name}}}\n`);
const ofRow: Pick<FunctionSketch, "arguments"> = { arguments: [{ name: "note", type: "note" }] };
const nested = inheritedRoles("- role_name: both\n  role_set: [reader]\n- role_name: nested\n  role_set: [both]\n");

/** For each rule: metadata with the fault, the line of the finding, and metadata without the fault. */
const cases: readonly (readonly [rule: string, at: string, faulty: World | string, clean: World | string])[] = [
  ["metadata-shape", "t0.yaml:4", note(sound).replace("select_permissions", "select_permission"), note(sound)],
  ["not-examined", "t0.yaml:4", note(sound, "event_triggers:\n  - name: tell\n"), note(sound)],
  [
    "file-not-included",
    "forgotten.yaml:1",
    { tables: [note(sound)], files: { "metadata/databases/default/tables/forgotten.yaml": "table: forgotten\n" } },
    note(sound),
  ],
  ["reference", "t0.yaml:9", migrated(note(sound.replace("[id]", "\n  - id\n  - gone"))), migrated(note(sound))],
  [
    "reference",
    "t0.yaml:6",
    note(sound, relationship("untracked")),
    { tables: [note(sound, relationship("tag")), tableFile("tag", sound)] },
  ],
  [
    "unreadable-text",
    "t0.yaml:8",
    migrated(note(filtered("{_or: [{id: {_in: [1, 2]}}, {id: {_eq: user_id}}]}"))),
    migrated(note(filtered('{_and: [{id: {_eq: "7"}}, {owner: user_id}, {id: X-Hasura-User-Id}, {id: REQ_USER_ID}]}'))),
  ],
  [
    "unreadable-text",
    "t0.yaml:7",
    migrated(note(sound, deletes("{id: user_id}"))),
    migrated(note(sound, deletes("{owner: user_id}"))),
  ],
  ["every-row", "t0.yaml:8", note(filtered("{}")), note(sound)],
  [
    "every-row",
    "t0.yaml:8",
    note(filtered("{_or: [{}, {owner: X-Hasura-User-Id}]}")),
    note(filtered("{_or: [{title: a}, {owner: X-Hasura-User-Id}]}")),
  ],
  [
    "every-row",
    "t0.yaml:8",
    migrated(note(filtered("{_or: [{id: {_is_null: false}}, {owner: X-Hasura-User-Id}]}"))),
    migrated(note(filtered("{_or: [{title: {_is_null: false}}, {owner: X-Hasura-User-Id}]}"))),
  ],
  ["every-row", "models.yaml:9", model(filtered("{}")), model(filtered("{id: X-Hasura-User-Id}"))],
  [
    "row-limit",
    "models.yaml:7",
    model("columns: [id]\nfilter: {id: 1}"),
    model("columns: [id]\nfilter: {id: 1}\nlimit: 5\nallow_aggregations: true"),
  ],
  ["secret-column", "models.yaml:8", model('columns: "*"\nfilter: {id: 1}\nlimit: 5'), model(filtered("{id: 1}"))],
  [
    "session-variable-spelling",
    "models.yaml:9",
    model("columns: [id]\nfilter: {api_key: x_hasura_key}"),
    model("columns: [id]\nfilter: {api_key: x-hasura-key}"),
  ],
  ["row-limit", "t0.yaml:6", note("columns: [id]\nfilter: {owner: X-Hasura-User-Id}"), note(sound)],
  ["all-columns", "t0.yaml:7", note(sound.replace("[id]", '"*"')), note(sound)],
  [
    "nothing-granted",
    "t0.yaml:6",
    note(sound.replace("[id]", "[]")),
    note(`${sound.replace("[id]", "[]")}\nallow_aggregations: true`),
  ],
  [
    "nothing-granted",
    "t0.yaml:6",
    note(sound.replace("[id]", "[]")),
    note(
      sound.replace("[id]", "[]"),
      "object_relationships:\n  - name: owner\n    using: {foreign_key_constraint_on: owner}\n",
    ),
  ],
  ["open-in-effect", "t0.yaml:8", seen({ toStranger: 54 }), seen({ toStranger: 53 })],
  [
    "open-in-effect",
    "t0.yaml:8",
    seen({ visible: [60, 57, 54], toStranger: 0 }),
    seen({ visible: [60, 60, 53], toStranger: 0 }),
  ],
  ["open-in-effect", "t0.yaml:8", seen({ all: 20, visible: [20, 20, 20] }), seen({ all: 60, visible: [60, 60] })],
  ["every-row-writable", "t0.yaml:7", note(sound, deletes("{}")), note(sound, deletes("{owner: X-Hasura-User-Id}"))],
  [
    "every-row-writable",
    "t0.yaml:8",
    note(sound, inserts("{_not: {_or: []}}")),
    note(sound, inserts("{owner: X-Hasura-User-Id}")),
  ],
  [
    "every-row-writable",
    "t0.yaml:8",
    note(sound, insert("set: {title: new}")),
    {
      tables: [
        note(sound, insert("set: {owner: X-Hasura-User-Id}")),
        tableFile("tag", sound, insert("backend_only: true")),
      ],
    },
  ],
  [
    // its-a-feature/Mythic#563
    "unbound-branch",
    "t0.yaml:8",
    note(filtered("{_or: [{kind_id: {_is_null: false}}, {owner: {_in: X-Hasura-Ids}}]}")),
    {
      tables: [
        note(
          filtered(
            "{_or: [{published_at: {_is_null: false}}, {owner: {_is_null: true}}, {owner: {_in: X-Hasura-Ids}}]}",
          ),
        ),
        tableFile(
          "tag",
          filtered("{_and: [{tenant: X-Hasura-Tenant}, {_or: [{deleted: {_eq: false}}, {owner: X-Hasura-User-Id}]}]}"),
        ),
      ],
    },
  ],
  [
    "unbound-branch",
    "t0.yaml:8",
    note(filtered("{_or: [{deleted: {_eq: false}}, {owner: X-Hasura-User-Id}]}")),
    note(filtered("{_or: [{is_public: {_eq: true}}, {owner: X-Hasura-User-Id}]}")),
  ],
  [
    "write-wider-than-read",
    "t0.yaml:7",
    note(sound, deletes("{title: {_eq: draft}}")),
    note(sound, deletes("{owner: X-Hasura-User-Id, title: {_eq: draft}}")),
  ],
  [
    "write-wider-than-read",
    "t0.yaml:7",
    note(sound, deletes("{_not: {owner: X-Hasura-User-Id}}")),
    note(sound, deletes("{_not: {_not: {owner: X-Hasura-User-Id}}}")),
  ],
  [
    "write-wider-than-read",
    "t0.yaml:7",
    note(sound, deletes("{}")),
    note(filtered("{id: 1}"), deletes("{id: 1, title: draft}")),
  ],
  [
    "write-wider-than-read",
    "t0.yaml:7",
    note(filtered("{id: 1}"), deletes("{}")),
    note(filtered("{id: 1}"), deletes("{id: 1}")),
  ],
  [
    "owner-preset-missing",
    "t0.yaml:7",
    note(sound, insert("").replace("[title]", "[title, owner]")),
    {
      tables: [
        note(sound, insert("set: {owner: X-Hasura-User-Id}")),
        tableFile(
          "tag",
          sound,
          insert("").replace("check: {}", "check: {owner: X-Hasura-User-Id}").replace("[title]", "[title, owner]"),
        ),
      ],
    },
  ],
  [
    // hasura/graphql-engine#10711
    "nested-inherited-role",
    "inherited_roles.yaml:4",
    {
      tables: [note(`${sound}\n`)],
      files: inheritedRoles(
        "- role_name: base\n  role_set: [reader]\n- role_name: nested\n  role_set: [base, reader]\n",
      ),
    },
    {
      tables: [note(`${sound}\n`)],
      files: inheritedRoles("- role_name: base\n  role_set: [reader]\n- role_name: other\n  role_set: [reader]\n"),
    },
  ],
  [
    "unjoinable-relationship",
    "t0.yaml:5",
    {
      tables: [note(sound, relationship("tag")), tableFile("tag", sound)],
      database: {
        tables: {
          note: { columns: { ...columns, id: "uuid not null" }, primaryKey: ["id"] },
          tag: { columns: { id: "int4 not null", owner: "text", note_id: "text" }, primaryKey: ["id"] },
        },
      },
    },
    {
      tables: [note(sound, relationship("tag")), tableFile("tag", sound)],
      database: {
        tables: {
          note: { columns, primaryKey: ["id"] },
          tag: { columns: { id: "int4 not null", owner: "text", note_id: "int8" }, primaryKey: ["id"] },
        },
      },
    },
  ],
  [
    "secret-column",
    "t0.yaml:9",
    note(sound.replace("[id]", "\n  - id\n  - passwordHash")),
    note(
      sound.replace(
        "[id]",
        "[id, hijack_key, secretary, token_expires_at, idTokenType, token_day_volume, access_key_id, token_alias, tokenDecimals]",
      ),
    ),
  ],
  ["secret-column", "t0.yaml:7", migrated(note(sound.replace("[id]", '"*"'))), note(sound.replace("[id]", '"*"'))],
  [
    "row-given-away",
    "t0.yaml:7",
    note(sound, update("columns: [title, owner]")),
    note(sound, update("columns: [title, owner]\n      check: {owner: X-Hasura-User-Id}")),
  ],
  [
    "row-given-away",
    "t0.yaml:9",
    note(
      sound,
      `object_relationships:\n  - {name: project, using: {foreign_key_constraint_on: project_id}}\n${update("columns: [project_id]").replace("{owner: X-Hasura-User-Id}", "{project: {owner: X-Hasura-User-Id}}")}`,
    ),
    note(sound, update("columns: [project_id]")),
  ],
  [
    "row-given-away",
    "t0.yaml:7",
    note(sound, update('columns: "*"\n      check: {}')),
    {
      tables: [
        note(sound, update("columns: [title]")),
        tableFile("tag", sound, update('columns: "*"\n      set: {owner: X-Hasura-User-Id}')),
      ],
    },
  ],
  [
    // A check without the session does not bind the new row.
    "row-given-away",
    "t0.yaml:7",
    note(sound, update("columns: [title, owner]\n      check: {title: {_neq: spam}}")),
    note(sound, update("columns: [title]\n      check: {title: {_neq: spam}}")),
  ],
  [
    "owner-preset-missing",
    "t0.yaml:9",
    note(
      "columns: [id]\nlimit: 10\nfilter:\n  project: {owner: {_eq: X-Hasura-User-Id}}",
      `object_relationships:\n  - {name: project, using: {foreign_key_constraint_on: project_id}}\n${insert("").replace("check: {}", "check: {title: {_neq: spam}}").replace("[title]", "[title, project_id]")}`,
    ),
    note(
      "columns: [id]\nlimit: 10\nfilter:\n  project: {owner: {_eq: X-Hasura-User-Id}}",
      `object_relationships:\n  - {name: project, using: {foreign_key_constraint_on: project_id}}\n${insert("").replace("check: {}", "check: {project: {owner: {_eq: X-Hasura-User-Id}}}").replace("[title]", "[title, project_id]")}`,
    ),
  ],
  [
    "anonymous-write",
    "t0.yaml:6",
    note(sound, update("columns: [title]").replace("reader", "anonymous")),
    note(sound, update("columns: [title]")),
  ],
  [
    "anonymous-write",
    "t0.yaml:6",
    { tables: [note(sound, update("columns: [title]"))], unauthorizedRole: "reader" },
    { tables: [note(sound, update("columns: [title]").replace("reader", "anonymous"))], unauthorizedRole: "reader" },
  ],
  [
    "unset-session-variable",
    "t0.yaml:9",
    { tables: [note(sound)], sessionVariables: ["x-hasura-org-id"] },
    { tables: [note(sound)], sessionVariables: ["x-hasura-user-id"] },
  ],
  [
    "spoofable-session",
    "t0.yaml:9",
    note(sound).replace("reader", "anonymous"),
    { tables: [note(sound), tableFile("tag", filtered("{id: 1}")).replace("reader", "anonymous")] },
  ],
  [
    "spoofable-session",
    "t0.yaml:9",
    { tables: [note(filtered("{id: 1}"), insert("set: {owner: X-Hasura-User-Id}"))], unauthorizedRole: "reader" },
    { tables: [note(sound)], unauthorizedRole: "visitor" },
  ],
  ["session-variable-spelling", "t0.yaml:9", note(sound.replace("X-Hasura-User-Id", "X_Hasura_User_Id")), note(sound)],
  [
    "session-variable-spelling",
    "t0.yaml:8",
    note(filtered("{owner: {_in: [X-Hasura-User-Id]}}")),
    note(filtered("{_and: [{owner: {_in: X-Hasura-User-Ids}}, {owner: REQ_USER_ID}]}")),
  ],
  [
    "session-variable-variants",
    "t2.yaml:9",
    { tables: [note(sound), tableFile("tag", sound), tableFile("mark", sound.replace("User-Id", "UserId"))] },
    { tables: [note(sound), tableFile("tag", sound), tableFile("mark", sound.replace("User-Id", "Org-Id"))] },
  ],
  [
    "inferred-function",
    "databases.yaml:5",
    {
      tables: [note(sound)],
      files: withFunction("      configuration: {exposed_as: query}\n"),
      database: { ...database, functions: { search: { ...search, volatility: "v" } } },
    },
    {
      tables: [note(sound)],
      files: withFunction("      permissions: [{role: reader}]\n"),
      database: { ...database, functions: { search: { ...search, volatility: "v" } } },
    },
  ],
  [
    "hasura-advisory",
    "t0.yaml:5",
    { tables: [computed("others")], hasuraVersion: "2.48.16" },
    { tables: [computed("others")], hasuraVersion: "2.49.2" },
  ],
  [
    "hasura-advisory",
    "t0.yaml:5",
    {
      tables: [computed("others")],
      hasuraVersion: "2.45.4",
      database: { ...database, functions: { others: { ...ofRow, returns: { table: "note", set: true } } } },
    },
    {
      tables: [computed("others")],
      hasuraVersion: "2.45.4",
      database: { ...database, functions: { others: { ...ofRow, returns: { type: "text" } } } },
    },
  ],
  [
    "hasura-advisory",
    "inherited_roles.yaml:4",
    { tables: [note(sound)], files: nested, hasuraVersion: "2.45.2" },
    { tables: [note(sound)], files: nested, hasuraVersion: "2.45.3" },
  ],
  [
    "hasura-advisory",
    "inherited_roles.yaml:4",
    { tables: [note(sound)], files: nested, hasuraVersion: "2.48.16" },
    { tables: [note(sound)], files: inherited("reader"), hasuraVersion: "2.48.16" },
  ],
  [
    "hasura-advisory",
    "t0.yaml:6",
    { tables: [note(sound, update("columns: [title]"))], hasuraVersion: "2.12.0" },
    { tables: [note(sound, update("columns: [title]"))], hasuraVersion: "2.9.0" },
  ],
  [
    "unknown-part",
    "inherited_roles.yaml:2",
    { tables: [note(sound)], files: inherited("reader, writer") },
    { tables: [note(sound)], files: inherited("reader") },
  ],
  [
    "inheritance-overridden",
    "t0.yaml:10",
    {
      tables: [note(sound, `${update("columns: [title]")}${second("columns: [id]").replace("writer", "both")}`)],
      files: inherited("reader"),
    },
    { tables: [note(sound, update("columns: [title]"))], files: inherited("reader") },
  ],
  [
    "inheritance-conflict",
    "t0.yaml:10",
    {
      tables: [note(sound, `${update("columns: [title]")}${second("columns: [title, id]")}`)],
      files: inherited("reader, writer"),
    },
    {
      tables: [note(sound, `${update("columns: [title]")}${second("columns: [title]")}`)],
      files: inherited("reader, writer"),
    },
  ],
  [
    "reference",
    "allow_list.yaml:1",
    { tables: [], files: { "metadata/allow_list.yaml": "- {collection: absent}\n" } },
    {
      tables: [],
      files: {
        "metadata/allow_list.yaml": "- {collection: known}\n",
        "metadata/query_collections.yaml": "- {name: known, definition: {queries: [{name: q, query: '{ a }'}]}}\n",
        "metadata/rest_endpoints.yaml":
          "- {name: r, url: r, methods: [GET], definition: {query: {collection_name: known, query_name: q}}}\n",
      },
    },
  ],
  [
    "reference",
    "rest_endpoints.yaml:1",
    {
      tables: [],
      files: {
        "metadata/rest_endpoints.yaml":
          "- {name: r, url: r, methods: [GET], definition: {query: {collection_name: absent, query_name: q}}}\n",
      },
    },
    { tables: [] },
  ],
  [
    "query-document",
    "query_collections.yaml:5",
    { tables: [], files: { "metadata/query_collections.yaml": collection("query Q {\n a(\n }") } },
    { tables: [], files: { "metadata/query_collections.yaml": collection("query Q {\n a\n }") } },
  ],
  [
    "query-document",
    "query_collections.yaml:5",
    {
      tables: [note(sound)],
      database,
      files: { "metadata/query_collections.yaml": collection("{ note { absent } }") },
    },
    { tables: [note(sound)], database, files: { "metadata/query_collections.yaml": collection("{ note { title } }") } },
  ],
  [
    "refused-name",
    "inherited_roles.yaml:2",
    {
      tables: [],
      files: {
        "metadata/inherited_roles.yaml": "# x\n- {role_name: a, role_set: [b, a]}\n- {role_name: b, role_set: []}\n",
      },
    },
    {
      tables: [],
      files: {
        "metadata/inherited_roles.yaml": "# x\n- {role_name: a, role_set: [b]}\n- {role_name: b, role_set: []}\n",
      },
    },
  ],
  ["refused-name", "t0.yaml:5", note(sound).replace("role: reader", "role: admin"), note(sound)],
  ["refused-name", "t0.yaml:1", note(sound).replace("name: note", "name: my-note"), note(sound)],
  ["rest-endpoint", "rest_endpoints.yaml:2", rest("notes/:id", "notes/:key"), rest("notes/:id", "tags/:key")],
  ["rest-endpoint", "rest_endpoints.yaml:1", rest("/notes"), rest("notes")],
  ["rest-endpoint", "rest_endpoints.yaml:1", rest("notes/:a/:a"), rest("notes/:a/:b")],
  ["declared-twice", "t0.yaml:11", `${note(sound)}${note(sound).slice(note(sound).indexOf("  - role"))}`, note(sound)],
  [
    "declared-twice",
    "t1.yaml:1",
    { tables: [note(sound), note(sound)] },
    { tables: [note(sound), tableFile("tag", sound)] },
  ],
  [
    "role-spelling",
    "t1.yaml:5",
    {
      tables: [
        note(sound).replace("reader", "HIRING_MANAGER"),
        tableFile("tag", sound).replace("reader", "HRING_MANAGER"),
      ],
    },
    {
      tables: [
        note(sound).replace("reader", "manager1"),
        tableFile("tag", sound).replace("reader", "manager12"),
        tableFile("other", sound).replace("reader", "managers"),
      ],
    },
  ],
  [
    "role-spelling",
    "t1.yaml:5",
    { tables: [note(sound), tableFile("tag", sound).replace("reader", "Reader")] },
    { tables: [note(sound), tableFile("tag", sound)] },
  ],
  [
    "shadowed-name",
    "t1.yaml:1",
    { tables: [note(sound), tableFile("note_aggregate", sound)] },
    { tables: [note(sound), tableFile("note_summary", sound)] },
  ],
  [
    "shadowed-name",
    "t0.yaml:6",
    migrated(note(sound, "configuration:\n  column_config:\n    title:\n      custom_name: secret\n")),
    migrated(note(sound, "configuration:\n  column_config:\n    title: {custom_name: heading}\n")),
  ],
  [
    "shadowed-name",
    "t0.yaml:5",
    { tables: [note(sound, relationship("tag").replace("tags", "title")), tableFile("tag", sound)], database },
    { tables: [note(sound, relationship("tag")), tableFile("tag", sound)], database },
  ],
  [
    "no-primary-key",
    "t0.yaml:1",
    { tables: [note(sound)], database: { tables: { note: { columns } } } },
    migrated(note(sound)),
  ],
  ["secret-in-metadata", "databases.yaml:4", address("postgres://app:example@db/app"), address("postgres://db/app")],
  [
    "secret-in-metadata",
    "remote_schemas.yaml:5",
    remoteSchema("{name: x-hasura-admin-secret, value: example}"),
    remoteSchema("{name: x-hasura-admin-secret, value_from_env: SECRET}"),
  ],
  [
    "secret-in-metadata",
    "remote_schemas.yaml:5",
    remoteSchema("{name: Authorization, value: Bearer example}"),
    remoteSchema('{name: Authorization, value: "Bearer {{TOKEN}}"}'),
  ],
  [
    "widened-permission",
    "t0.yaml:10",
    { tables: [note(sound.replace("10", "20"))], base: [note(sound)] },
    { tables: [note(sound.replace("10", "5"))], base: [note(sound)] },
  ],
  [
    "changed-permission",
    "t0.yaml:8",
    {
      tables: [note(sound.replace("_eq: X-Hasura-User-Id", '_ilike: "a%"'))],
      base: [note(sound.replace("_eq: X-Hasura-User-Id", '_like: "a%"'))],
    },
    { tables: [note(sound.replace("_eq", "_neq"))], base: [note(sound)] },
  ],
  [
    "breaking-change",
    "databases.yaml:1",
    {
      tables: [note(sound.replace("[id]", "[id, owner]"))],
      base: [note(sound.replace("[id]", "[id, owner, title]"))],
      database,
    },
    { tables: [note(sound.replace("[id]", "[id, title]"))], base: [note(sound)], database },
  ],
];

test("suggests the known key for a misspelt one, also with another ending", async () => {
  const found = await find(note(`${sound}\nallow_aggregates: true`));
  expect(found.map(({ reason }) => reason)).toEqual([
    expect.stringMatching(/allow_aggregates: unknown key; did you mean allow_aggregations\?$/),
  ]);
});

test("warns of a known key at another place, which Hasura ignores", async () => {
  const insert =
    "insert_permissions:\n  - role: reader\n    permission: {check: {owner: X-Hasura-User-Id}, columns: [id], limit: 5}\n";
  const found = await find(note(sound, insert));
  expect(found.map(({ severity, reason }) => [severity, reason])).toEqual([
    ["warning", expect.stringMatching(/permission\.limit: unknown key at this place$/)],
  ]);
});

test("reports missing migrations once for a database without the tables", async () => {
  const other = { tables: { other: { columns, primaryKey: ["id"] } } };
  const found = await find({ tables: [note(sound), tableFile("tag", sound)], database: other });
  expect(found.filter(({ rule }) => rule === "reference").map(({ reason }) => reason)).toEqual([
    "the database of the source default has none of the 2 tracked tables: the migrations are not applied",
  ]);
});

test("an update is not open where its check holds a column that the client cannot set", async () => {
  const rules = async (columns: string) =>
    (
      await find(
        note(
          sound,
          `update_permissions:\n  - role: reader\n    permission:\n      columns: [${columns}]\n      filter: {}\n      check: {owner: X-Hasura-User-Id}\n`,
        ),
      )
    ).map(({ rule }) => rule);
  expect(await rules("title")).not.toContain("every-row-writable");
  expect(await rules("title, owner")).toContain("every-row-writable");
});

test("an update is not open where its check needs a related row of the session", async () => {
  const found = async (check: string) =>
    (
      await find(
        note(
          sound,
          `array_relationships:\n  - name: members\n    using: {foreign_key_constraint_on: {column: note_id, table: {schema: public, name: member}}}\nupdate_permissions:\n  - role: reader\n    permission: {columns: [title], filter: {}, check: {members: {${check}}}}\n`,
        ),
      )
    ).map(({ rule }) => rule);
  const rules = ["every-row-writable", "write-wider-than-read"];
  const held = await found("user_id: {_eq: X-Hasura-User-Id}");
  expect(rules.filter((rule) => held.includes(rule))).toEqual([]);
  expect(await found("id: {_gt: 0}")).toEqual(expect.arrayContaining(rules));
});

describe.each(cases)("the rule %s", (rule, at, faulty, clean) => {
  test(`finds the fault at ${at}`, async () => {
    const found = (await find(faulty)).filter((finding) => finding.rule === rule);
    expect(found.map(({ file, line }) => `${file?.split("/").at(-1) ?? ""}:${line ?? ""}`)).toEqual([at]);
    expect(found[0]?.reason).toMatch(/\w+ \w+/);
  });

  test("finds nothing without the fault", async () => {
    expect((await find(clean)).filter((finding) => finding.rule === rule)).toEqual([]);
  });
});

test("every rule has an example with the fault and one without", () => {
  const without = allRules
    .map(({ id }) => id)
    .filter((id) => id !== "unused-exception" && !cases.some(([rule]) => rule === id));
  expect(without).toEqual([]);
});

test("contained roles do not conflict with overridden permissions or by the order of columns", async () => {
  const roles = inheritedRoles(
    "- role_name: both\n  role_set: [middle, other]\n- role_name: middle\n  role_set: [reader]\n",
  );
  const grant = (role: string, list: string) =>
    `  - role: ${role}\n    permission: {columns: [${list}], filter: {owner: X-Hasura-User-Id}}\n`;
  const conflicts = async (...grants: readonly string[]) =>
    (await find({ tables: [note(sound, `update_permissions:\n${grants.join("")}`)], files: roles }))
      .filter(({ rule }) => rule === "inheritance-conflict")
      .map(({ role, reason }) => [role, reason]);
  expect(await conflicts(grant("reader", "title"), grant("middle", "id, title"), grant("other", "title, id"))).toEqual(
    [],
  );
  expect(await conflicts(grant("reader", "title"), grant("other", "title, id"))).toEqual([
    ["both", "both inherits from reader and other, which may update public.note in different ways"],
  ]);
});

test("reports a feature of many tables as one note at the first table", async () => {
  const trigger = "event_triggers:\n  - name: tell\n";
  const found = await find({
    tables: [
      note(sound, trigger),
      tableFile("tag", sound, trigger),
      tableFile("mark", sound, "remote_relationships:\n  - name: weather\n"),
    ],
  });
  expect(
    found
      .filter(({ rule }) => rule === "not-examined")
      .map(({ file, line, reason, remedy }) => [`${file?.split("/").at(-1) ?? ""}:${line ?? ""}`, reason, remedy]),
  ).toEqual([
    ["t0.yaml:4", "not examined: event triggers", "nothing, if it is tested elsewhere; this is the first of 2 places"],
    ["t2.yaml:4", "not examined: remote relationships", "nothing, if it is tested elsewhere"],
  ]);
});

test("has no findings for correct metadata", async () => {
  expect(
    await find({ tables: [note(sound)], database, base: [note(sound)], sessionVariables: ["x-hasura-user-id"] }),
  ).toEqual([]);
});

test.each([
  ["anonymous", undefined, "error"],
  ["public", undefined, "warning"],
  ["public", "public", "error"],
  ["anonymous", "public", "warning"],
])(
  "rates updates of every row by %s, with the unauthorized role %s, as %s",
  async (role, unauthorizedRole, severity) => {
    const open = `update_permissions:\n  - role: ${role}\n    permission: {columns: [title], filter: {}}\n`;
    const found = await find({
      tables: [note(sound, open)],
      ...(unauthorizedRole === undefined ? {} : { unauthorizedRole }),
    });
    expect(found.filter(({ rule }) => rule === "every-row-writable").map((finding) => finding.severity)).toEqual([
      severity,
    ]);
  },
);
