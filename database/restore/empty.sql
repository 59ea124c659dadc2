-- Values enter as variables of psql, which quotes them, and reach the other files as settings.
select set_config('routeql.own', :'own', true), set_config('routeql.keep_keys', :'keep_keys', true);
-- Everything that the owner has in the database. The texts of the operator's migrations survive the deletion as a setting.
do $$ begin
  if to_regclass('migrations.own_migrations') is not null then
    perform set_config('routeql.own_texts', (select jsonb_object_agg(name, content)::text from migrations.own_migrations), true);
  end if;
end $$;
-- Postgres warns of each function whose superuser-given right the owner cannot revoke from itself.
set local client_min_messages = error;
set local search_path = public;
drop owned by current_user cascade;
set local client_min_messages = warning;
drop schema if exists auth, migrations, public, routing cascade;
-- The schema public belongs to the database's owner by another name.
create schema public authorization pg_database_owner;
create schema migrations;
create table migrations.schema_migrations (id serial primary key, name varchar(255) not null, run_on timestamp not null);
