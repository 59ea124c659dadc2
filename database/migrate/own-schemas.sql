-- Schemas of the operator: the engine has only the rights of the metadata, and backups read everything.
do $$ declare own text; begin
  for own in
    select quote_ident(nspname) from pg_namespace
    where pg_get_userbyid(nspowner) = current_user and nspname not in ('auth', 'migrations', 'public', 'routing')
  loop
    execute format('revoke all on schema %1$s from public, routeql_engine;
      revoke all on all tables in schema %1$s from public, routeql_engine; revoke all on all sequences in schema %1$s from public, routeql_engine;
      revoke all on all routines in schema %1$s from public, routeql_engine;
      grant usage on schema %1$s to routeql_backup; grant select on all tables in schema %1$s to routeql_backup;
      grant select on all sequences in schema %1$s to routeql_backup', own);
  end loop;
end $$;
