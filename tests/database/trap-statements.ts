/**
 * Creates the role `sprung` when a superuser, or another administrator of roles, runs it. Roles belong to the server, so the trace survives a
 * restore.
 */
export const spring = `create schema trap; grant usage on schema trap to public;
  create function trap.spring() returns text language plpgsql as $$ begin
    if (select rolsuper or rolcreaterole from pg_catalog.pg_roles where rolname operator(pg_catalog.=) current_user) then create role sprung; end if;
    return ''; exception when others then return ''; end $$;`;
export const pathOf = (database: string): string => `alter database ${database} set search_path = trap, pg_catalog;`;

/** SQL of an attacker with the owner's password. @param database its name */
export const trapsOf = (database: string): Readonly<Record<string, string>> => ({
  "a function of the same name": `create function trap.pg_get_userbyid(oid) returns name language sql as $$ select trap.spring()::name $$; ${pathOf(database)}`,
  "an operator of the same name": `create function trap.same(name, name) returns boolean language plpgsql as $$ begin
      perform trap.spring(); return $1 operator(pg_catalog.=) $2; end $$;
    create operator trap.= (function = trap.same, leftarg = name, rightarg = name); ${pathOf(database)}`,
  "a type of the same name": `create function trap.valid(text) returns boolean language sql as $$ select trap.spring() is not null $$;
    create domain trap.regnamespace as text check (trap.valid(value)); ${pathOf(database)}`,
  "a cast to a type of the same name": `create type trap.regprocedure as enum ('a');
    create function trap.cast(oid) returns trap.regprocedure language sql as $$ select 'a'::trap.regprocedure where trap.spring() is not null $$;
    create cast (oid as trap.regprocedure) with function trap.cast(oid); ${pathOf(database)}`,
  "an aggregate of the same name": `create function trap.add(text, text, text) returns text language sql as $$ select trap.spring() $$;
    create aggregate trap.string_agg(text, text) (sfunc = trap.add, stype = text); ${pathOf(database)}`,
  "a view of the same name": `create view trap.pg_extension as select trap.spring()::name as extname; grant select on trap.pg_extension to public; ${pathOf(database)}`,
  "a row security function": `create function trap.allowed() returns boolean language sql as $$ select trap.spring() is not null $$;
    create policy trap on migrations.schema_migrations using (trap.allowed());
    alter table migrations.schema_migrations enable row level security; alter table migrations.schema_migrations force row level security`,
  "an index expression": `create function trap.hash(text) returns text immutable language plpgsql as $$ begin return trap.spring(); end $$;
    create index trap on auth.organisations (trap.hash(id))`,
  "a column's default": "alter table auth.organisations add column trap text default trap.spring()",
  "a trigger": `create function trap.fire() returns trigger language plpgsql as $$ begin perform trap.spring(); return new; end $$;
    create trigger trap before insert or update on migrations.schema_migrations for each row execute function trap.fire()`,
  "a rule": "create rule trap as on insert to auth.organisations do also select trap.spring()",
  "a publication": "create publication trap for table auth.organisations",
  "a trusted extension": "create extension hstore schema trap",
  "default privileges":
    "alter default privileges grant execute on functions to public; alter default privileges in schema routing grant select on tables to public",
  "settings of the database": `alter database ${database} set role = 'routeql_engine'; alter database ${database} set local_preload_libraries = 'trap';
    alter database ${database} set default_transaction_read_only = on; alter database ${database} set statement_timeout = 1;
    alter database ${database} set row_security = off; alter database ${database} set check_function_bodies = off;
    alter database ${database} set default_table_access_method = 'trap'; alter database ${database} set standard_conforming_strings = off`,
  "settings of the owner": `alter role routeql_owner set search_path = trap; alter role routeql_owner in database ${database} set search_path = trap`,
  "a large object": "select lo_from_bytea(0, 'trap')",
  "a text search configuration": "create text search configuration trap.english (copy = pg_catalog.english)",
});
