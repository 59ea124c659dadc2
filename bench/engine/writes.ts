import type { StartedDatabaseContainer } from "@routeql/tests/harness/containers/database-container";
import type { Case } from "./contenders.ts";

const keys = 1_000;
const connections = 16;

/** Tables of orders with items, and of a stock with `keys` rows, for the role analyst. */
export async function prepareWrites(database: StartedDatabaseContainer): Promise<void> {
  await using owner = await database.connect("owner");
  await owner.query(`create schema bench;
    create table bench.orders (id bigint generated always as identity primary key, customer text not null, note text);
    create table bench.items (id bigint generated always as identity primary key, order_id bigint not null references bench.orders, product text not null, price numeric not null);
    create table bench.stock (id int constraint stock_id primary key, product text not null, amount int not null);
    insert into bench.stock select id, 'product ' || id, 0 from generate_series(1, ${keys}) id;
    create index on bench.items (order_id);
    grant usage on schema bench to routeql_engine; grant select, insert, update on all tables in schema bench to routeql_engine`);
}

const role = "analyst";
const permissions = (columns: readonly string[]) => ({
  select_permissions: [{ role, permission: { columns: "*", filter: {}, limit: 1000 } }],
  insert_permissions: [{ role, permission: { columns, check: {} } }],
  update_permissions: [{ role, permission: { columns, filter: { id: { _gt: 0 } }, check: null } }],
});
const items = { table: { schema: "bench", name: "items" }, column: "order_id" };
const tables = [
  {
    table: { schema: "bench", name: "orders" },
    array_relationships: [{ name: "items", using: { foreign_key_constraint_on: items } }],
    ...permissions(["customer", "note"]),
  },
  { table: items.table, ...permissions(["order_id", "product", "price"]) },
  { table: { schema: "bench", name: "stock" }, ...permissions(["id", "product", "amount"]) },
];

export function withWrites(metadata: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const [source, ...others] = metadata["sources"] as readonly { readonly tables: readonly object[] }[];
  return { ...metadata, sources: [{ ...source, tables: [...(source?.tables ?? []), ...tables] }, ...others] };
}

const ofEachKey = (mutation: (key: number) => string): readonly string[] =>
  Array.from({ length: keys }, (_, index) => mutation(index + 1));
const objects = (count: number): string =>
  Array.from({ length: count }, (_, index) => `{customer: "customer ${index}", note: "a note"}`).join(" ");
const insert = (rows: number): Case => ({
  name: `write: insert of ${rows.toLocaleString("en")}`,
  hasura: `mutation { insert_bench_orders(objects: [${objects(rows)}]) { affected_rows } }`,
  connections: rows < 1_000 ? connections : 4,
});
const data = Array.from({ length: 5 }, (_, index) => `{product: "product ${index}", price: "1.25"}`).join(" ");

export const writes: readonly Case[] = [
  {
    name: "write: update by key",
    hasura: ofEachKey(
      (key) => `mutation { update_bench_stock_by_pk(pk_columns: {id: ${key}}, _inc: {amount: 1}) { id amount } }`,
    ),
    connections,
  },
  insert(1),
  insert(100),
  insert(1_000),
  {
    name: "write: upsert",
    hasura: ofEachKey(
      (key) =>
        `mutation { insert_bench_stock_one(object: {id: ${key}, product: "other", amount: 1}, on_conflict: {constraint: stock_id, update_columns: [product, amount]}) { id } }`,
    ),
    connections,
  },
  {
    name: "write: nested insert",
    hasura: `mutation { insert_bench_orders_one(object: {customer: "a customer", items: {data: [${data}]}}) { id items { id } } }`,
    connections,
  },
];
