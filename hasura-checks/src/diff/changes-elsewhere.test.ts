import { expect, test } from "vitest";
import { readProject } from "../metadata/project.ts";
import { MetadataFolder, tableFile } from "../testing/tool.ts";
import { changesElsewhere } from "./changes-elsewhere.ts";

const table = (more = "") => tableFile("note", "columns: [id]\nfilter: {}", more);

function compare(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
  tables = [table(), table()],
) {
  const read = (files: Readonly<Record<string, string>>, text = "") => {
    using folder = new MetadataFolder(
      [text],
      Object.fromEntries(Object.entries(files).map(([name, content]) => [`metadata/${name}`, content])),
    );
    const project = readProject("metadata", folder.path);
    if (project.metadata === undefined) throw new Error("the metadata of the test is wrong");
    return { project, metadata: project.metadata };
  };
  return changesElsewhere(read(before, tables[0]), read(after, tables[1])).map(
    ({ direction, reason }) => `${direction}: ${reason}`,
  );
}

const remote = (...permissions: readonly string[]) =>
  `- name: weather\n  definition: {url: http://weather}\n  permissions: [${permissions.join(", ")}]\n`;
const role = (name: string, schema: string) => `{role: ${name}, definition: {schema: "${schema}"}}`;
const trigger = (definition: string, url = "http://hook") =>
  `event_triggers:\n  - {name: sent, webhook: "${url}", definition: {${definition}}, retry_conf: {num_retries: 0}}\n`;

test.each<readonly [string, string, string, string, readonly [string, string]]>([
  [
    "a role of an action",
    "actions.yaml",
    "actions:\n  - {name: pay, definition: {kind: synchronous, handler: http://pay}, permissions: [{role: clerk}]}\n",
    "actions:\n  - {name: pay, definition: {kind: synchronous, handler: http://pay}, permissions: [{role: clerk}, {role: user}]}\n",
    ["wider: user can now call the action pay", "narrower: user can no longer call the action pay"],
  ],
  [
    "a role of a remote schema",
    "remote_schemas.yaml",
    remote(role("user", "type Query { now: Int }")),
    remote(role("user", "type Query { now: Int }"), role("guest", "type Query { now: Int }")),
    [
      "wider: guest can now query the remote schema weather",
      "narrower: guest can no longer query the remote schema weather",
    ],
  ],
  [
    "a field in the document of a remote schema",
    "remote_schemas.yaml",
    remote(role("user", "type Query { now: Int }")),
    remote(role("user", "type Query { now: Int, past(day: Int): Int }")),
    [
      "wider: user on the remote schema weather: it can now use Query.past and Query.past.day",
      "narrower: user on the remote schema weather: it can no longer use Query.past and Query.past.day",
    ],
  ],
  [
    "an argument without its preset",
    "remote_schemas.yaml",
    remote(role("user", "type Query { now(city: Int @preset(value: 1)): Int }")),
    remote(role("user", "type Query { now(city: Int): Int }")),
    [
      "wider: user on the remote schema weather: it can now use Query.now.city",
      "narrower: user on the remote schema weather: it can no longer use Query.now.city",
    ],
  ],
  [
    "a REST endpoint",
    "rest_endpoints.yaml",
    "[]",
    "- {name: notes, url: notes, methods: [GET], definition: {query: {collection_name: c, query_name: q}}}\n",
    [
      "wider: the REST endpoint notes (GET notes) is served now",
      "narrower: the REST endpoint notes (GET notes) is no longer served",
    ],
  ],
  [
    "an allowed collection",
    "allow_list.yaml",
    "- {collection: c, scope: {global: false, roles: [user]}}\n",
    "- {collection: c, scope: {global: true}}\n",
    [
      "wider: every role may now send the queries of the collection c",
      "narrower: every role may no longer send the queries of the collection c",
    ],
  ],
  [
    "a host without verification",
    "network.yaml",
    "{tls_allowlist: []}",
    "{tls_allowlist: [{host: example.net}]}",
    [
      "wider: the certificate of example.net is no longer verified",
      "narrower: the certificate of example.net is now verified",
    ],
  ],
  [
    "an API limit",
    "api_limits.yaml",
    "{disabled: false, depth_limit: {global: 5, per_role: {}}}",
    "{disabled: false, depth_limit: {global: 9, per_role: {}}}",
    [
      "wider: the API limit depth_limit.global is 9, and was 5",
      "narrower: the API limit depth_limit.global is 5, and was 9",
    ],
  ],
])("compares %s in both directions", (_what, file, before, after, [wider, narrower]) => {
  expect(compare({ [file]: before }, { [file]: after })).toEqual([wider]);
  expect(compare({ [file]: after }, { [file]: before })).toEqual([narrower]);
  expect(compare({ [file]: after }, { [file]: after })).toEqual([]);
});

test("compares the queries of an allowed collection", () => {
  const files = (...queries: readonly string[]) => ({
    "allow_list.yaml": "- {collection: c}\n",
    "query_collections.yaml": `- {name: c, definition: {queries: [${queries.join(", ")}]}}\n`,
  });
  const [one, two, other] = ["{name: q, query: '{ a }'}", "{name: r, query: '{ b }'}", "{name: q, query: '{ c }'}"];
  expect(compare(files(one), files(one, two))).toEqual([
    "wider: the query r of the allowed collection c may be sent now",
  ]);
  expect(compare(files(one), files(other))).toEqual(["changed: the query q of the allowed collection c changed"]);
});

test("compares event triggers and cron triggers", () => {
  const tables = (before: string, after: string) => compare({}, {}, [table(before), table(after)]);
  expect(tables("", trigger("insert: {columns: '*'}"))).toEqual([
    "wider: the event trigger sent now sends rows of public.note to http://hook",
  ]);
  expect(tables(trigger("insert: {columns: '*'}"), trigger("insert: {columns: '*'}, delete: {columns: '*'}"))).toEqual([
    "wider: the event trigger sent sends rows of public.note now also on delete",
  ]);
  const cron = (url: string) => ({
    "cron_triggers.yaml": `- {name: nightly, webhook: "${url}", schedule: 0 0 * * *, include_in_metadata: true}\n`,
  });
  expect(compare(cron("http://one"), cron("http://two"))).toEqual([
    "changed: the cron trigger nightly now calls http://two",
  ]);
});

test("reports a new remote schema without permissions", () => {
  const served = { "remote_schemas.yaml": "- {name: weather, definition: {url: http://weather}}\n" };
  expect(compare({}, served)).toEqual([
    expect.stringMatching(/^wider: the remote schema weather is served now, and has no permissions: /),
  ]);
  expect(compare(served, served)).toEqual([]);
});
