-- Migrations of the operator (setting `migrations`), with their text: a restore runs these texts, and none of a file.
create table migrations.own_migrations (
  id integer generated always as identity primary key,
  name text not null unique,
  content text not null,
  applied_at timestamptz not null default now()
);

-- Roles of the operator's metadata. `admin` has every right, so no account can have it.
alter table auth.users drop constraint users_role_check;
alter table auth.users add constraint users_role_check check (role ~ '^[a-z][a-z0-9_-]{0,62}$' and role <> 'admin');
