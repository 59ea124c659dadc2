import { afterAll, beforeAll, expect, test } from "vitest";
import { createEngine, type Engine } from "@routeql/engine";
import { startDatabase, type StartedDatabaseContainer } from "../harness/containers/database-container.ts";
import { sessionOf } from "./support/routing.ts";

let database: StartedDatabaseContainer;
const engines: Engine[] = [];

const tables = `
  create table public.colour (value text primary key, comment text unique);
  insert into public.colour values ('red', 'warm'), ('blue', null);
  create table public.thing (id bigint primary key, label text not null, colour text references public.colour, price numeric, owner text, tone text default 'warm' references public.colour (comment));
  insert into public.thing values (9007199254740993, 'a', 'red', 1.10, 'u1'), (2, 'b', 'blue', 2, 'u2');
  create table public.shade (value text primary key);
  insert into public.shade select value from public.colour;
  alter table public.thing add foreign key (colour) references public.shade;
  create materialized view public.thing_copy as select * from public.thing;
  create function public.things_of(hasura_session json, lowest numeric default 0) returns setof public.thing stable language sql
    as $$ select * from public.thing where owner = hasura_session ->> 'x-hasura-user-id' and price >= lowest $$;
  create function public.title(thing public.thing) returns text stable language sql as $$ select upper(thing.label) $$;
  create function public.raised(thing public.thing, by int) returns int stable language sql as $$ select case thing.label when 'a' then 1 else 2 end + by $$;
  create function public.alike(thing public.thing, most int) returns setof public.thing stable language sql
    as $$ select * from public.thing t where t.id <> thing.id order by t.id limit most $$;
  create function public.refuse() returns trigger language plpgsql as $$ begin raise exception 'no more colours'; end $$;
  create constraint trigger refuse after insert on public.colour deferrable initially deferred for each row execute function public.refuse();
  create domain public.short as text check (length(value) < 9);
  create function public.labelled(wanted text[], not_this public.short default '') returns setof public.thing stable language sql
    as $$ select * from public.thing where label = any(wanted) and label <> not_this $$;
  create function public.next_thing(thing public.thing) returns public.thing stable language sql
    as $$ select * from public.thing t where t.id < thing.id order by t.id desc limit 1 $$;
  create function public.labels(thing public.thing) returns text[] stable language sql as $$ select array[thing.label] $$;
  create function public.short_label(thing public.thing) returns public.short stable language sql as $$ select thing.label::public.short $$;
  create function public.remove_things() returns setof public.thing volatile language sql as $$ delete from public.thing returning * $$;`;

beforeAll(async () => {
  database = await startDatabase();
  await using admin = await database.connect("bootstrap");
  await admin.query(tables);
});

afterAll(async () => {
  for (const engine of engines) await engine.close();
  await database.stop();
});

const permission = {
  columns: "*",
  filter: { owner: "X-Hasura-User-Id" },
  allow_aggregations: true,
  computed_fields: ["title"],
};

function source(name: string, extra: object = {}) {
  return {
    name,
    kind: "postgres",
    configuration: { connection_info: { database_url: database.getConnectionUri("bootstrap") } },
    tables: [
      { table: "colour", is_enum: true },
      {
        table: "thing",
        select_permissions: [{ role: "user", permission }],
        computed_fields: [
          { name: "title", definition: { function: "title" } },
          { name: "raised", definition: { function: "raised" } },
          { name: "alike", definition: { function: "alike", table_argument: "thing" } },
          { name: "next_thing", definition: { function: "next_thing" } },
        ],
      },
      { table: "thing_copy", configuration: { custom_name: "copy" } },
    ],
    functions: [
      { function: "things_of", configuration: { session_argument: "hasura_session" } },
      { function: "labelled" },
      { function: "remove_things", configuration: { exposed_as: "query" } },
    ],
    ...extra,
  };
}

async function ask(
  options: { sources: object[]; stringifyNumericTypes?: boolean },
  query: string,
  role = "admin",
): Promise<unknown> {
  const engine = await createEngine({
    metadata: { version: 3, sources: options.sources },
    poolSize: 1,
    stringifyNumericTypes: options.stringifyNumericTypes ?? false,
  });
  engines.push(engine);
  return JSON.parse(await engine.execute({ query }, sessionOf(role, { "x-hasura-user-id": "u1" }))) as unknown;
}

test("serves enum tables, materialized views, session functions and computed fields", async () => {
  const query = `{ thing(where: {colour: {_eq: red}, tone: {_eq: "warm"}}) { label colour title alike(args: {most: 1}) { label } } copy_aggregate { aggregate { count } }
    things_of(args: {lowest: 1}) { label } colour(order_by: {value: asc}) { value comment } }`;
  expect(await ask({ sources: [source("default")] }, query)).toEqual({
    data: {
      thing: [{ label: "a", colour: "red", title: "A", alike: [{ label: "b" }] }],
      copy_aggregate: { aggregate: { count: 2 } },
      things_of: [{ label: "a" }],
      colour: [
        { value: "blue", comment: null },
        { value: "red", comment: "warm" },
      ],
    },
  });
});

test("rejects a column that refers to two enum tables", async () => {
  const { tables: tracked, ...rest } = source("default");
  const both = { ...rest, tables: [{ table: "shade", is_enum: true }, ...tracked] };
  await expect(ask({ sources: [both] }, "{ shade { value } }")).rejects.toThrow(
    "the column colour refers to multiple enum tables",
  );
});

test("aggregates computed fields with the client's arguments, and keeps their type", async () => {
  const query =
    '{ thing_aggregate { aggregate { max { raised(args: {by: 10}) } avg { raised(args: {by: 1}) } } } __type(name: "thing_avg_fields") { fields { name type { name } args { name } } } }';
  expect(await ask({ sources: [source("default")] }, query)).toMatchObject({
    data: {
      thing_aggregate: { aggregate: { max: { raised: 12 }, avg: { raised: 2.5 } } },
      __type: {
        fields: expect.arrayContaining([
          { name: "raised", type: { name: "Int" }, args: [{ name: "args" }] },
          { name: "id", type: { name: "Float" }, args: [] },
        ]) as unknown,
      },
    },
  });
});

test("a list or a domain of a function is a scalar with the name of the catalogue, as in Hasura", async () => {
  const query =
    "query q($wanted: _text!, $not_this: short) { labelled(args: {wanted: $wanted, not_this: $not_this}) { label } }";
  const engine = await createEngine({ metadata: { version: 3, sources: [source("default")] }, poolSize: 1 });
  engines.push(engine);
  const asking = async (variables: Record<string, unknown>) =>
    JSON.parse(await engine.execute({ query, variables }, sessionOf("admin", {}))) as unknown;
  expect(await asking({ wanted: "{a,b}", not_this: "b" })).toEqual({ data: { labelled: [{ label: "a" }] } });
  await expect(asking({ wanted: ["a"] })).rejects.toThrow("A string is expected for type: _text");
});

test("a trigger that refuses the change at COMMIT has Hasura's error", async () => {
  const query = 'mutation { insert_colour_one(object: {value: "green"}) { value } }';
  await expect(ask({ sources: [source("default")] }, query)).rejects.toMatchObject({
    code: "postgres-error",
    message: "postgres tx error",
  });
});

test.each([
  ["labels", "_text"],
  ["short_label", "short"],
])("a computed field cannot return a list or a domain: %s", async (name, type) => {
  const [colour, thing, copy] = source("default").tables;
  const tables = [
    colour,
    { ...thing, computed_fields: [{ name, definition: { function: name } }], select_permissions: [] },
    copy,
  ];
  await expect(ask({ sources: [{ ...source("default"), tables }] }, "{ __typename }")).rejects.toThrow(
    `returning type ${type} is not a BASE type`,
  );
});

test("a computed field's rows follow the role's filter", async () => {
  expect(
    await ask({ sources: [source("default")] }, "{ thing { label alike(args: {most: 5}) { label } } }", "user"),
  ).toEqual({ data: { thing: [{ label: "a", alike: [] }] } });
});

test("a computed field of a function without SETOF is a list of one row, as in Hasura", async () => {
  const query = "{ thing(order_by: {label: asc}) { label next_thing { label } } }";
  expect(await ask({ sources: [source("default")] }, query)).toEqual({
    data: {
      thing: [
        { label: "a", next_thing: [{ label: "b" }] },
        { label: "b", next_thing: [{ label: null }] },
      ],
    },
  });
  expect(await ask({ sources: [source("default")] }, query, "user")).toEqual({
    data: { thing: [{ label: "a", next_thing: [] }] },
  });
});

test("a function cannot write, because the connections are read-only", async () => {
  await expect(ask({ sources: [source("default")] }, "{ remove_things { label } }")).rejects.toThrow(
    "database query error",
  );
  await using admin = await database.connect("bootstrap");
  expect((await admin.query("select count(*)::int as left from public.thing")).rows).toEqual([{ left: 2 }]);
});

test("numbers are Postgres' own, or strings with the setting", async () => {
  const query = '{ thing(where: {label: {_eq: "a"}}) { price } thing_aggregate { aggregate { sum { price } } } }';
  expect(await ask({ sources: [source("default")] }, query)).toEqual({
    data: { thing: [{ price: 1.1 }], thing_aggregate: { aggregate: { sum: { price: 3.1 } } } },
  });
  expect(await ask({ sources: [source("default")], stringifyNumericTypes: true }, query)).toEqual({
    data: { thing: [{ price: "1.10" }], thing_aggregate: { aggregate: { sum: { price: "3.10" } } } },
  });
});

test("two sources need different names", async () => {
  const other = source("other", {
    customization: { root_fields: { namespace: "other" }, type_names: { prefix: "other_" } },
  });
  const query =
    "{ thing_aggregate { aggregate { count } } other { thing(limit: 1, order_by: {id: asc}) { label __typename } } }";
  expect(await ask({ sources: [source("default"), other] }, query)).toEqual({
    data: {
      thing_aggregate: { aggregate: { count: 2 } },
      other: { thing: [{ label: "b", __typename: "other_thing" }] },
    },
  });
  await expect(ask({ sources: [source("default"), source("other")] }, query)).rejects.toThrow(
    /duplicate root field thing/,
  );
});

test("a namespace is nullable, and left out if nothing in it is selected", async () => {
  const named = source("default", { customization: { root_fields: { namespace: "shop" } } });
  const type = '__type(name: "query_root") { fields { name type { kind name } } }';
  expect(await ask({ sources: [named] }, `{ shop { thing @skip(if: true) { label } } ${type} }`)).toEqual({
    data: { __type: { fields: [{ name: "shop", type: { kind: "OBJECT", name: "shop_query" } }] } },
  });
});

test("two sources with the same tables need only different root fields", async () => {
  const customization = { root_fields: { prefix: "other_" } };
  const of = (thing: object) => {
    const {
      tables: [colour, first, ...more],
      ...rest
    } = source("other", { customization });
    return { ...rest, tables: [colour, { ...first, ...thing }, ...more] };
  };
  const hidden = of({
    select_permissions: [{ role: "user", permission: { ...permission, filter: { id: { _eq: -1 } } } }],
  });
  const query = '{ thing { label __typename } other_thing { label } __type(name: "thing") { kind } }';
  expect(await ask({ sources: [source("default"), hidden] }, query, "user")).toEqual({
    data: { thing: [{ label: "a", __typename: "thing" }], other_thing: [], __type: { kind: "OBJECT" } },
  });
  const renamed = of({ configuration: { column_config: { label: { custom_name: "name" } } } });
  await expect(ask({ sources: [source("default"), renamed] }, query)).rejects.toThrow(
    /duplicate type thing: here and in source default, with other fields/,
  );
  const narrower = of({ select_permissions: [{ role: "user", permission: { ...permission, columns: ["id"] } }] });
  await expect(ask({ sources: [source("default"), narrower] }, query)).rejects.toThrow(/duplicate type thing_bool_exp/);
});

test("a subscription may select several fields below its source's field", async () => {
  const named = source("default", { customization: { root_fields: { namespace: "shop" } } });
  const engine = await createEngine({ metadata: { version: 3, sources: [named] }, poolSize: 1 });
  engines.push(engine);
  const prepare = (query: string) => engine.prepareSubscription({ query }, sessionOf("admin"));
  const live = prepare(
    "subscription { all: shop { one: thing(limit: 1, order_by: {id: asc}) { label } other: thing_aggregate { aggregate { count } } } }",
  );
  const [answer] = await engine.poll(live.cohortKey, [live.parameters]);
  expect(JSON.parse(answer?.text ?? "")).toEqual({
    data: { all: { one: [{ label: "b" }], other: { aggregate: { count: 2 } } } },
  });
  expect(() =>
    prepare("subscription @_multiple_top_level_fields { a: shop { thing { label } } b: shop { thing { label } } }"),
  ).toThrow("subscriptions must select one top level field");
});

test("aggregates of related rows use their own source, also with equal table names", async () => {
  const related = { name: "things", using: { foreign_key_constraint_on: { table: "thing", column: "colour" } } };
  const withThings = (name: string, extra: object, permission: object) => {
    const { tables, ...rest } = source(name, extra);
    const [colour, thing] = tables;
    return {
      ...rest,
      tables: [
        {
          ...colour,
          is_enum: false,
          array_relationships: [related],
          select_permissions: [{ role: "user", permission: { columns: "*", filter: {} } }],
        },
        { ...thing, select_permissions: [{ role: "user", permission }] },
      ],
      functions: [],
    };
  };
  const other = withThings(
    "other",
    { customization: { root_fields: { namespace: "other" }, type_names: { prefix: "other_" } } },
    { columns: "*", filter: { owner: "u2" }, allow_aggregations: true },
  );
  const first = withThings("default", {}, { columns: "*", filter: { owner: "u1" }, allow_aggregations: true });
  const where = "where: {things_aggregate: {count: {predicate: {_eq: 1}}}}";
  expect(
    await ask(
      { sources: [first, other] },
      `{ colour(${where}) { value } other { colour(${where}) { value } } }`,
      "user",
    ),
  ).toEqual({ data: { colour: [{ value: "red" }], other: { colour: [{ value: "blue" }] } } });
});

test("under graphql-default enum values are in capitals in requests and responses", async () => {
  const query =
    "query ($colour: ColourEnum!) { thing(where: {colour: {_in: [RED, $colour]}}, orderBy: {label: ASC}) { colour } thingsOf(args: {lowest: 1}) { label } }";
  const engine = await createEngine({
    metadata: { version: 3, sources: [source("default", { customization: { naming_convention: "graphql-default" } })] },
    poolSize: 1,
  });
  engines.push(engine);
  const answer = await engine.execute(
    { query, variables: { colour: "BLUE" } },
    sessionOf("admin", { "x-hasura-user-id": "u1" }),
  );
  expect(JSON.parse(answer)).toEqual({
    data: { thing: [{ colour: "RED" }, { colour: "BLUE" }], thingsOf: [{ label: "a" }] },
  });
});
