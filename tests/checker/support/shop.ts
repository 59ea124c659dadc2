/** A small shop like another team's: keys, foreign keys, an enum table, functions, a computed field. */
export const shopSql = `
  create table tenant (id uuid primary key, name text not null);
  create table "orderState" (state text primary key, comment text);
  create table orders (id int generated always as identity primary key, tenant_id uuid not null references tenant, state text references "orderState", total numeric(10, 2), note text, placed timestamptz default now());
  create table order_line (order_id int references orders, position int, product text not null, price numeric, tags text[] default '{}', primary key (order_id, position));
  create function search_orders(term text default 'a') returns setof orders language sql stable as $$ select * from orders where note like '%' || term || '%' $$;
  create function order_label(placed orders) returns text language sql stable as $$ select placed.id || ': ' || coalesce(placed.note, '-') $$;
  insert into tenant values ('00000000-0000-4000-8000-00000000000a', 'North'), ('00000000-0000-4000-8000-00000000000b', 'South');
  insert into "orderState" values ('open', null), ('paid', 'all of it'), ('lost', null);
  insert into orders (tenant_id, state, total, note)
    select case when n % 3 = 0 then '00000000-0000-4000-8000-00000000000a' else '00000000-0000-4000-8000-00000000000b' end::uuid,
      (array['open', 'paid', 'lost', null])[n % 4 + 1], case when n % 7 = 0 then null else n * 1.5 end, case when n % 5 = 0 then null else 'an order ' || n end from generate_series(1, 60) n;
  insert into order_line select o.id, p, 'product ' || p, p * 2, array['a', o.state] from orders o, generate_series(1, 3) p where (o.id + p) % 4 <> 0;`;

const own = "{tenant_id: {_eq: X-Hasura-Tenant-Id}}";

const tables = (custom: { readonly orders?: string; readonly line?: string }) => `
    - table: {schema: public, name: tenant}
      select_permissions:
        - {role: clerk, permission: {columns: [id, name], filter: {id: {_eq: X-Hasura-Tenant-Id}}, limit: 10}}
    - table: {schema: public, name: orderState}
      is_enum: true
    - table: orders
${custom.orders ?? ""}
      object_relationships:
        - {name: tenant, using: {foreign_key_constraint_on: tenant_id}}
      array_relationships:
        - {name: lines, using: {foreign_key_constraint_on: {table: {schema: public, name: order_line}, column: order_id}}}
        - {name: every_line, using: {manual_configuration: {remote_table: {schema: public, name: order_line}, column_mapping: {}}}}
      computed_fields:
        - {name: label, definition: {function: {schema: public, name: order_label}}}
      select_permissions:
        - {role: clerk, permission: {columns: "*", computed_fields: [label], filter: ${own}, limit: 25, allow_aggregations: true}}
        - {role: packer, permission: {columns: [id, state], filter: {_and: [{state: {_in: [open, paid]}}, {_not: {total: {_is_null: true}}}]}, limit: 7}}
        - {role: auditor, permission: {columns: [id, total, note], filter: {_or: [{total: {_gte: 50}}, {note: {_like: "%1"}}, {lines: {tags: {_contains: [paid]}}}]}, allow_aggregations: true, query_root_fields: [select, select_aggregate], subscription_root_fields: []}}
    - table: order_line
${custom.line ?? ""}
      object_relationships:
        - {name: order, using: {foreign_key_constraint_on: order_id}}
      select_permissions:
        - {role: clerk, permission: {columns: [order_id, position, product, tags], filter: {order: ${own}}, limit: 100}}
        - {role: packer, permission: {columns: [order_id, position, product], filter: {order: {state: {_in: X-Hasura-States}}}, limit: 50}}
        - {role: auditor, permission: {columns: [order_id, position, price], filter: {position: {_clt: order_id}}, limit: 20}}`;

const metadata = (customization: string, custom: Parameters<typeof tables>[0] = {}) => `version: 3
sources:
- name: shop
  kind: postgres
  configuration: {connection_info: {database_url: {from_env: SHOP}}}
${customization}
  tables:${tables(custom)}
  functions:
    - function: {schema: public, name: search_orders}
inherited_roles:
  - {role_name: supervisor, role_set: [clerk, packer]}
  - {role_name: chief, role_set: [supervisor, auditor]}
`;

/** The same shop in several of Hasura's styles. */
export const styles: Readonly<Record<string, string>> = {
  "Hasura's own names": metadata(""),
  "names in camel case": metadata("  customization: {naming_convention: graphql-default}"),
  "root fields below a namespace, with prefixes": metadata(
    "  customization: {root_fields: {namespace: shop, prefix: my_}, type_names: {prefix: Shop_}}",
  ),
  "custom names": metadata("", {
    orders:
      "      configuration: {custom_name: purchase, custom_root_fields: {select: purchases, select_by_pk: purchase, select_aggregate: purchaseSummary}, column_config: {tenant_id: {custom_name: owner}, note: {custom_name: remark}}}",
    line: "      configuration: {custom_root_fields: {select_stream: followLines}, custom_column_names: {order_id: purchaseId}}",
  }),
};
