import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { apply, lostValues, withPoolSize } from "./apply.ts";
import { type Metadata, MetadataApi, Refusal } from "./metadata-api.ts";

interface Command {
  readonly type: string;
  readonly resource_version?: number;
  readonly args: { readonly metadata?: Metadata; readonly allow_inconsistent_metadata?: boolean };
}

const closing: (() => void)[] = [];
afterEach(() => closing.splice(0).forEach((close) => close()));

/** A metadata API that stores one document; `answer` can reject a command. */
async function serve(
  answer: (command: Command, count: number) => [number, unknown] | undefined = () => undefined,
  keep = (metadata: Metadata) => metadata,
) {
  const commands: string[] = [];
  let stored: Metadata = { version: 3, sources: [] };
  let version = 4;
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk: Buffer) => (text += String(chunk)));
    request.on("end", () => {
      const command = JSON.parse(text) as Command;
      commands.push(command.type);
      const own = (): [number, unknown] => {
        if (command.type === "export_metadata") return [200, { resource_version: version, metadata: stored }];
        expect(command).toMatchObject({ resource_version: version, args: { allow_inconsistent_metadata: false } });
        stored = keep(command.args.metadata ?? {});
        version += 1;
        return [200, { is_consistent: true, inconsistent_objects: [] }];
      };
      const [status, body] = answer(command, commands.length) ?? own();
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => server.close());
  const api = new MetadataApi({
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    adminSecret: "secret",
  });
  return { api, commands, stored: () => stored };
}

const url = { database_url: { from_env: "ROUTEQL_DATABASE_URL" } };
const wanted = { version: 3, sources: [{ name: "default", kind: "postgres", tables: [] }] };

test("stores changed metadata over the version that was read, and reads it back", async () => {
  const { api, commands, stored } = await serve();
  expect(await apply(api, wanted)).toBe("stored as version 5, with changes");
  expect(commands).toEqual(["export_metadata", "replace_metadata", "export_metadata"]);
  expect(stored()).toEqual(wanted);
});

test("stores equal metadata again, so that every engine reads the databases again", async () => {
  const { api, commands } = await serve();
  expect(await apply(api, { version: 3, sources: [] })).toBe("stored as version 5, equal to the former one");
  expect(commands).toEqual(["export_metadata", "replace_metadata", "export_metadata"]);
});

test("retries when another client stores metadata in between", async () => {
  const { api, commands } = await serve(({ type }, count) =>
    type === "replace_metadata" && count < 4
      ? [409, { code: "conflict", error: "referenced (4)", path: "$" }]
      : undefined,
  );
  await apply(api, wanted);
  expect(commands.filter((type) => type === "replace_metadata")).toHaveLength(2);
});

test("reports every inconsistency", async () => {
  const internal = [
    { type: "table", name: "nothing", reason: "no such table", definition: {} },
    { type: "select_permission", name: { role: "viewer" }, reason: "no such column", definition: {} },
  ];
  const refused = {
    code: "unexpected",
    error: "cannot continue due to inconsistent metadata",
    path: "$.args",
    internal,
  };
  const { api } = await serve(({ type }) => (type === "replace_metadata" ? [400, refused] : undefined));
  const error = await apply(api, wanted).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(Refusal);
  expect((error as Refusal).message).toBe(
    'cannot continue due to inconsistent metadata (unexpected)\n  table nothing: no such table\n  select_permission {"role":"viewer"}: no such column',
  );
});

test("an engine that loses a value gets its former metadata again", async () => {
  const former = { version: 3, sources: [] };
  const { api, stored } = await serve(undefined, (metadata) => ({ ...metadata, sources: [] }));
  await expect(apply(api, wanted)).rejects.toThrow("Correct these places:\n  sources");
  expect(stored()).toEqual(former);
});

const table = (
  changes: Readonly<Record<string, unknown>> = {},
  permission: Readonly<Record<string, unknown>> = {},
) => ({
  version: 3,
  sources: [
    {
      name: "default",
      kind: "postgres",
      configuration: { connection_info: url },
      tables: [
        {
          table: { schema: "public", name: "a" },
          select_permissions: [
            {
              role: "viewer",
              permission: { columns: ["id", "name"], filter: { id: { _gt: 1 }, name: { _eq: "x" } }, ...permission },
            },
            { role: "analyst", permission: { columns: "*", filter: {} } },
          ],
          ...changes,
        },
      ],
    },
  ],
});
/** The same document as Hasura exports it: with its own additions, in its own order and forms. */
const completed = {
  version: 3,
  sources: [
    {
      name: "default",
      kind: "postgres",
      configuration: {
        connection_info: { ...url, pool_settings: { connection_lifetime: 600 }, use_prepared_statements: false },
      },
      tables: [
        {
          table: { name: "a", schema: "public" },
          configuration: { column_config: { name: { custom_name: "title" } }, custom_column_names: { name: "title" } },
          object_relationships: [{ name: "b", using: { foreign_key_constraint_on: "b_id" } }],
          select_permissions: [
            { role: "analyst", permission: { columns: "*", filter: {}, limit: 5 } },
            {
              role: "tenant",
              permission: {
                columns: "*",
                filter: { _or: [{ id: 1 }, { _exists: { _table: { schema: "public", name: "b" }, _where: {} } }] },
              },
            },
            { role: "viewer", permission: { columns: ["name", "id"], filter: { id: { _gt: 1 }, name: { _eq: "x" } } } },
          ],
        },
      ],
    },
  ],
};

test("additions, order and forms of the engine lose nothing", () => {
  const [analyst, , viewer] = completed.sources[0]?.tables[0]?.select_permissions ?? [];
  const filter = { $or: [{ id: 1 }, { _exists: { _table: "b", _where: {} } }] };
  const given = {
    table: "a",
    is_enum: false,
    array_relationships: [],
    configuration: { custom_column_names: { name: "title" }, comment: null },
    object_relationships: [{ name: "b", using: { foreign_key_constraint_on: ["b_id"] } }],
    select_permissions: [viewer, { role: "tenant", permission: { columns: "*", filter } }, analyst],
  };
  const source = { name: "default", kind: "postgres", configuration: { connection_info: url }, tables: [given] };
  expect(lostValues({ sources: [source], version: 3, inherited_roles: [] }, completed)).toEqual([]);
});

const permission = "sources[0].tables[0].select_permissions";

test.each<[string, Record<string, unknown>, Record<string, unknown>, string]>([
  ["a column", {}, { columns: ["id"] }, `${permission}[0].permission.columns`],
  ["aggregates", { allow_aggregations: true }, {}, `${permission}[0].permission.allow_aggregations`],
  ["a limit", { limit: 5 }, {}, `${permission}[0].permission.limit`],
  ["another limit", { limit: 5 }, { limit: 6 }, `${permission}[0].permission.limit`],
  ["an empty list of root fields", { query_root_fields: [] }, {}, `${permission}[0].permission.query_root_fields`],
  ["a condition", {}, { filter: { id: { _gt: 1 } } }, `${permission}[0].permission.filter.name._eq`],
  [
    "a value of a condition",
    {},
    { filter: { id: { _gt: 2 }, name: { _eq: "x" } } },
    `${permission}[0].permission.filter.id._gt`,
  ],
  [
    "a list in a filter",
    { filter: { tables: ["a", "b"] } },
    { filter: { tables: ["a"] } },
    `${permission}[0].permission.filter.tables`,
  ],
  ["a false condition", { filter: { is_enum: false } }, { filter: {} }, `${permission}[0].permission.filter.is_enum`],
])("reports the place of %s that the engine lost", (_, given, kept, place) => {
  expect(lostValues(table({}, given), table({}, kept))).toEqual([place]);
});

test("reports a permission that the engine added or lost", () => {
  const one = table({ select_permissions: [{ role: "viewer", permission: { columns: "*", filter: {} } }] });
  expect(lostValues(one, table())).toEqual([permission]);
  expect(lostValues(table(), one)).toEqual([permission]);
});

test("any metadata loses nothing against itself", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (metadata) => {
      expect(lostValues(metadata, structuredClone(metadata))).toEqual([]);
    }),
    { numRuns: 200 },
  );
});

test("a Postgres source gets the configured pool size, and keeps its own", () => {
  const metadata = {
    version: 3,
    sources: [{ name: "default", kind: "postgres", configuration: { connection_info: url } }],
  };
  expect(withPoolSize(metadata, 7)).toEqual({
    version: 3,
    sources: [
      {
        name: "default",
        kind: "postgres",
        configuration: { connection_info: { ...url, pool_settings: { max_connections: 7 } } },
      },
    ],
  });
});

test.each([
  {
    name: "own",
    kind: "postgres",
    configuration: { connection_info: { ...url, pool_settings: { max_connections: 3 } } },
  },
  { name: "other", kind: "bigquery", configuration: {} },
])("leaves the source $name unchanged", (source) => {
  expect(withPoolSize({ sources: [source] }, 7)).toEqual({ sources: [source] });
});

test("leaves metadata without sources unchanged", () =>
  expect(withPoolSize({ version: 3 }, 7)).toEqual({ version: 3 }));
