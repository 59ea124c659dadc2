-- Runs the operator's migrations from the replaced database, and empties the tables that they fill. The setting routeql.own has their names.
do $$ declare own text; change record;
  known jsonb := coalesce(nullif(current_setting('routeql.own_texts', true), ''), '{}')::jsonb;
  kept jsonb := (select jsonb_object_agg(name, current_setting(name, true))
    from unnest(array['client_min_messages', 'routeql.own_texts', 'routeql.keep_keys', 'routeql.replaced']) name);
begin
  for own in select name from jsonb_array_elements_text(current_setting('routeql.own')::jsonb) with ordinality names (name, place) order by place loop
    if known ->> own is null then
      raise exception 'the backup has your migration %, which this stack does not have; set migrations to its folder and run npm run up', own;
    end if;
    perform set_config('search_path', 'public', true);
    execute known ->> own;
    -- As in the job migrate: another client_encoding or role of a migration must not apply to the rows.
    reset all;
    reset role;
    perform set_config(key, value, true) from jsonb_each_text(kept);
  end loop;
  perform set_config('search_path', 'public', true);
  create temporary table suspended on commit drop as
    -- Triggers would add rows that the backup has too.
    select format('alter table %s %%s trigger %I', tgrelid::regclass, tgname) as change, array['disable', 'enable'] as steps
    from pg_trigger t join pg_proc p on p.oid = tgfoid join pg_class c on c.oid = tgrelid
    where pg_get_userbyid(relowner) = current_user and not tgisinternal and tgparentid = 0 and tgenabled = 'O'
      and pronamespace::regnamespace::text not in ('auth', 'migrations', 'routing')
    union all
    -- Rows arrive in the order of the tables' names, so foreign keys are checked at the end.
    select format('alter table %s alter constraint %I %%s', conrelid::regclass, conname), array['deferrable initially deferred', 'not deferrable']
    from pg_constraint join pg_class c on c.oid = conrelid
    where pg_get_userbyid(relowner) = current_user and contype = 'f' and conparentid = 0 and not condeferrable;
  for change in select * from suspended loop execute replace(change.change, '%s', change.steps[1]); end loop;
  execute (select 'truncate ' || string_agg(c.oid::regclass::text, ', ') from pg_class c join pg_namespace n on n.oid = relnamespace
    where relkind in ('r', 'p') and relpersistence <> 't' and (nspname = 'public' or pg_get_userbyid(nspowner) = current_user));
end $$;
set constraints all deferred;
