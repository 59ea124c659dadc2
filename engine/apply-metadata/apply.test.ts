import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { apply, differences, normalMetadata, withPoolSize } from "./apply.ts";
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
        if (command.type === "get_inconsistent_metadata")
          return [200, { is_consistent: true, inconsistent_objects: [] }];
        if (command.type === "reload_metadata") return [200, { message: "success" }];
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

const wanted = { version: 3, sources: [{ name: "default", kind: "postgres", tables: [] }] };

test("stores changed metadata over the version that was read, and reads it back", async () => {
  const { api, commands, stored } = await serve();
  expect(await apply(api, wanted)).toBe("stored as version 5");
  expect(commands).toEqual(["export_metadata", "replace_metadata", "export_metadata"]);
  expect(stored()).toEqual(wanted);
});

test("does not store equal metadata again, but checks the databases", async () => {
  const { api, commands } = await serve();
  await apply(api, { version: 3, sources: [] });
  expect(commands).toEqual(["export_metadata", "reload_metadata", "get_inconsistent_metadata"]);
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

test("stored metadata that no longer matches the databases is an error", async () => {
  const objects = [{ type: "table", name: "table gone in source default", reason: "no such table" }];
  const { api } = await serve(({ type }) =>
    type === "get_inconsistent_metadata" ? [200, { is_consistent: false, inconsistent_objects: objects }] : undefined,
  );
  await expect(apply(api, { version: 3, sources: [] })).rejects.toThrow(
    /^ {2}table gone in source default: no such table$/m,
  );
});

test("an engine that stores something else is an error that names the place", async () => {
  const { api } = await serve(undefined, (metadata) => ({ ...metadata, sources: [] }));
  await expect(apply(api, wanted)).rejects.toThrow("They differ at:\n  sources");
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
const same = (one: Record<string, unknown>, other: Record<string, unknown>): boolean =>
  differences(one, other).length === 0;

test.each<[string, Record<string, unknown>]>([
  ["with its keys in another order", Object.fromEntries(Object.entries(table()).toReversed())],
  [
    "with defaults spelled out",
    table({ is_enum: false, array_relationships: [], configuration: {} }, { allow_aggregations: false }),
  ],
  ["with its columns in another order", table({}, { columns: ["name", "id"] })],
  ["with a conjunction spelled out", table({}, { filter: { _and: [{ name: { _eq: "x" } }, { id: { _gt: 1 } }] } })],
])("equal %s compare as equal", (_, other) => {
  expect(differences(table(), other)).toEqual([]);
});

test.each<[string, Record<string, unknown>]>([
  ["another column", table({}, { columns: ["id"] })],
  ["aggregates", table({}, { allow_aggregations: true })],
  ["no root field at all", table({}, { query_root_fields: [] })],
  ["another filter", table({}, { filter: { id: { _gt: 2 }, name: { _eq: "x" } } })],
  ["a filter of less", table({}, { filter: { id: { _gt: 1 } } })],
  ["a disjunction", table({}, { filter: { _or: [{ id: { _gt: 1 } }, { name: { _eq: "x" } }] } })],
  ["a limit", table({}, { limit: 5 })],
])("%s is a difference", (_, other) => {
  expect(same(table(), other)).toBe(false);
  expect(same(other, table())).toBe(false);
});

test("no condition of a filter is ignored, for any column names", () => {
  const asks = (filter: Record<string, unknown>) => table({}, { filter });
  expect(same(asks({ is_enum: false }), asks({}))).toBe(false);
  expect(same(asks({ comment: "" }), asks({}))).toBe(false);
  expect(same(asks({ tables: ["a", "b"] }), asks({ tables: ["b", "a"] }))).toBe(false);
});

test("reports the place of a difference", () => {
  const other = table({}, { limit: 5 });
  expect(differences(table(), other)).toEqual(["sources[0].tables[0].select_permissions[1].permission.limit"]);
});

test("the normal form of any value is its own normal form", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (metadata) => {
      expect(differences(metadata, structuredClone(metadata))).toEqual([]);
      expect(normalMetadata(metadata)).toEqual(normalMetadata(structuredClone(metadata)));
    }),
    { numRuns: 200 },
  );
});

const url = { database_url: { from_env: "ROUTEQL_DATABASE_URL" } };

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
