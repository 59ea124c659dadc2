import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Metadata } from "@routeql/engine/apply-metadata/metadata-api";
import { loadMetadata } from "@routeql/metadata/read/load";
import { record } from "../conformance/json.ts";

/** The statements of a project's migrations of one database, in order. */
export function migrationsOf(project: string): readonly string[] {
  const all = globSync("migrations/**/up.sql", { cwd: project }).toSorted();
  const first = all[0]?.split("/").slice(0, -2).join("/");
  return all
    .filter((path) => path.split("/").slice(0, -2).join("/") === first)
    .map((path) => readFileSync(join(project, path), "utf8"));
}

/**
 * The tables, functions and inherited roles of a project's first source, without what calls other services.
 * @throws if a file cannot be read
 */
export function metadataOf(project: string, address: string): Metadata {
  const { merged, problems } = loadMetadata(join(project, "metadata"));
  const problem = problems.find(({ passedOver }) => passedOver !== true);
  if (problem !== undefined) throw new Error(`${problem.file}: ${problem.reason}`);
  const source = record((merged["sources"] as readonly unknown[] | undefined)?.[0] ?? merged);
  const own = (key: string) => ((source[key] ?? []) as readonly unknown[]).map(record);
  return {
    version: 3,
    sources: [
      {
        name: "default",
        kind: "postgres",
        configuration: { connection_info: { database_url: address } },
        tables: own("tables").map(({ event_triggers: _events, remote_relationships: _remote, ...table }) => table),
        functions: own("functions"),
        ...(source["customization"] === undefined ? {} : { customization: source["customization"] }),
      },
    ],
    inherited_roles: merged["inherited_roles"] ?? [],
  };
}

/**
 * Inserts twelve rows into each table. Values are few, so that rows are related; rows that a check refuses are left out. Random ids and
 * current times become values that two copies of the database share.
 */
export const randomRows = `
  create function pg_temp.value_of(of_type oid, i int) returns text language plpgsql as $$ declare t pg_type; begin
    select * into t from pg_type where oid = of_type;
    if t.typtype = 'd' then return pg_temp.value_of(t.typbasetype, i); end if;
    if t.typcategory = 'A' then return '{}'; end if;
    if t.typtype = 'e' then return (select (array_agg(enumlabel order by enumsortorder))[1 + i % count(*)] from pg_enum where enumtypid = of_type); end if;
    return case
      when t.typcategory = 'N' then (1 + i % 5)::text
      when t.typcategory = 'B' then (i % 2 = 0)::text
      when t.typcategory = 'D' then ('2024-01-01'::timestamp + i * interval '1 day')::text
      when t.typcategory = 'T' then i || ' hours'
      when t.typname = 'uuid' then '00000000-0000-4000-8000-00000000000' || 1 + i % 5
      when t.typname in ('json', 'jsonb') then '{"a": ' || i || '}'
      when t.typcategory = 'S' then 't' || i % 5
    end;
  end $$;
  do $$ declare t record; i int; begin
    set session_replication_role = replica;
    for t in select c.oid::regclass as name, string_agg(quote_ident(attname), ', ') as columns,
        string_agg(format('pg_temp.value_of(%s, $1 + %s * ($1 / 5))::%s', atttypid, attnum, format_type(atttypid, atttypmod)), ', ') as expressions
      from pg_class c join pg_attribute on attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = ''
      where relkind in ('r', 'p') and not relispartition and relnamespace::regnamespace::text !~ '^(pg_|information_schema|hdb_catalog)' group by 1
    loop for i in 0 .. 11 loop
      begin execute format('insert into %s (%s) overriding system value values (%s)', t.name, t.columns, t.expressions) using i;
      exception when others then null; end;
    end loop; end loop;
  end $$;
  create sequence differential_ids;
  do $$ declare c record; begin
    for c in select adrelid::regclass as name, quote_ident(attname) as attribute, atttypid::regtype::text as type
      from pg_attrdef join pg_attribute on attrelid = adrelid and attnum = adnum and attgenerated = ''
      where pg_get_expr(adbin, adrelid) ~* 'random|uuid_generate|now\\(|current_|timestamp\\('
    loop execute format('alter table %s alter %s set default %s', c.name, c.attribute, case when c.type = 'uuid'
      then $q$('00000000-0000-4000-9000-' || lpad(nextval('differential_ids')::text, 12, '0'))::uuid$q$ when c.type ~ '^time ' then '''10:00''' else '''2024-02-01''' end);
    end loop;
  end $$;
  analyze`;
