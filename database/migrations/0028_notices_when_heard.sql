-- Each statement of a writer pays for the trigger, also while no engine listens or notices of the table flood. So the condition of the trigger
-- looks first: at a sequence, the one value that Postgres reads for every role without a query, and that changes outside of transactions. It
-- has a value while an engine may listen. BEFORE costs less than AFTER, and Postgres sends notices at the commit in any case.

-- The sequences in the conditions of the triggers of tables.
create function routing.listening_flags(relations oid[]) returns setof regclass
language sql stable set search_path = pg_catalog, pg_temp as $$
  select s.oid::regclass from pg_trigger t
  join pg_depend d on d.classid = 'pg_trigger'::regclass and d.objid = t.oid and d.refclassid = 'pg_class'::regclass
  join pg_class s on s.oid = d.refobjid and s.relkind = 'S'
  where t.tgrelid = any (relations) and t.tgfoid = 'routing.tell_change'::regproc
$$;

create or replace function public.start_listening(relations oid[]) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform pg_advisory_lock_shared(routing.listening_key(relation)) from unnest(relations) relation;
  perform setval(flag, 1) from routing.listening_flags(relations) flag where pg_sequence_last_value(flag) is null;
end $$;

create or replace function public.stop_listening(relations oid[]) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  relation oid;
begin
  perform pg_advisory_unlock_shared(routing.listening_key(stopped)) from unnest(relations) stopped;
  -- Engines of earlier versions stop in a transaction that only reads.
  if current_setting('transaction_read_only')::boolean then return; end if;
  foreach relation in array relations loop
    -- A writer can hold the lock for an instant, another engine longer. One that begins meanwhile waits until this transaction ends.
    for attempt in 1..3 loop
      continue when not pg_try_advisory_xact_lock(routing.listening_key(relation));
      perform setval(flag, 1, false) from routing.listening_flags(array[relation]) flag;
      exit;
    end loop;
  end loop;
end $$;

create or replace function routing.watch_tables(relations oid[], functions oid[]) returns setof text
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  read oid[] := array(select relation from public.tables_read_by(relations, functions) where relation is not null);
  changed record;
  flag text;
begin
  for changed in
    select tgrelid::regclass as name, tgname, tgrelid = any (read) as is_read from pg_trigger join pg_class c on c.oid = tgrelid
    where tgfoid = 'routing.tell_change'::regproc and (tgrelid <> all (read) or tgenabled <> 'O' or tgqual is null) and pg_get_userbyid(relowner) = current_user
    order by tgrelid
  loop
    execute format('drop trigger %I on %s', changed.tgname, changed.name);
    if not changed.is_read then return next format('%s tells no changes any more', changed.name); end if;
  end loop;
  for changed in
    select s.oid::regclass as name from pg_class s
    where s.relnamespace = 'routing'::regnamespace and s.relkind = 'S' and s.relname like 'listening\_%'
      and not exists (select from pg_depend where classid = 'pg_trigger'::regclass and refclassid = 'pg_class'::regclass and refobjid = s.oid)
  loop
    execute format('drop sequence %s', changed.name);
  end loop;
  for changed in
    select c.oid::regclass as name, left(encode(sha256(convert_to(format('%I.%I', nspname, relname), 'UTF8')), 'hex'), 32) as hash
    from pg_class c join pg_namespace n on n.oid = relnamespace
    where c.oid = any (read) and relkind in ('r', 'p') and pg_get_userbyid(relowner) = current_user and not (relispartition and relnamespace = 'routing'::regnamespace)
      and not exists (select from pg_trigger where tgrelid = c.oid and tgfoid = 'routing.tell_change'::regproc)
    order by c.oid
  loop
    flag := format('routing.listening_%s', changed.hash);
    -- A table that was renamed keeps its flag.
    while to_regclass(flag) is not null loop flag := flag || '_'; end loop;
    execute format('create sequence %1$s; grant select on sequence %1$s to public; select setval(%1$L, 1)', flag);
    execute format('create trigger routeql_change before insert or update or delete or truncate on %s
      for each statement when (pg_catalog.pg_sequence_last_value(%L) is not null) execute function routing.tell_change()', changed.name, flag);
    return next format('made %s tell its changes', changed.name);
  end loop;
end $$;
