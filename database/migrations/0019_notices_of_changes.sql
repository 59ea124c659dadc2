-- Live queries run again after a change instead of once a second: statement triggers on the tables that the metadata reads send a notice to
-- the engines. NOTIFY makes the commits of the whole server wait for each other, so a writer sends one only while an engine listens for the
-- table, and an engine stops to listen while notices flood.

-- The number of the lock that an engine holds, shared, while it listens for a table.
create function routing.listening_key(relation oid) returns bigint
language sql immutable set search_path = pg_catalog, pg_temp
return (1919252837::bigint << 32) + relation::bigint;

create function routing.tell_change() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  key bigint := routing.listening_key(tg_relid);
  was_free boolean;
begin
  -- Another writer can hold the lock for an instant, which is not an engine.
  for attempt in 1..3 loop
    -- One expression: an interrupt between two statements would leave the lock behind.
    was_free := case when pg_try_advisory_lock(key) then pg_advisory_unlock(key) else false end;
    if was_free then return null; end if;
  end loop;
  perform pg_notify('routeql_changes', tg_table_schema || '.' || tg_table_name);
  return null;
end $$;

-- The engine's role may not call the functions of advisory locks themselves.
create function public.start_listening(relations oid[]) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform pg_advisory_lock_shared(routing.listening_key(relation)) from unnest(relations) relation;
end $$;

create function public.stop_listening(relations oid[]) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform pg_advisory_unlock_shared(routing.listening_key(relation)) from unnest(relations) relation;
end $$;

-- The tables that relations and functions read, through views, inheritance and bodies of BEGIN ATOMIC at any depth. A line with a reason means
-- that their changes cannot be noticed. Partitions of this schema need no trigger: only commands of this kit write to them by name.
create function public.tables_read_by(relations oid[], functions oid[])
returns table (relation oid, name text, reason text)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  with recursive item(is_function, id) as (
    select false, unnest(relations) union select true, unnest(functions)
    union
    select next.is_function, next.id from item cross join lateral (
      select false as is_function, refobjid as id from pg_rewrite w join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = w.oid
        where not item.is_function and w.ev_class = item.id and w.ev_type = '1' and d.refclassid = 'pg_class'::regclass
      union all
      select true, found[1]::oid from pg_rewrite w, regexp_matches(w.ev_action::text, ':(?:funcid|opfuncid|aggfnoid|winfnoid) (\d+)', 'g') found
        where not item.is_function and w.ev_class = item.id and w.ev_type = '1'
      union all
      select false, inhrelid from pg_inherits where not item.is_function and inhparent = item.id
      union all
      select false, inhparent from pg_inherits where not item.is_function and inhrelid = item.id
      union all
      select false, refobjid from pg_depend where item.is_function and classid = 'pg_proc'::regclass and objid = item.id and refclassid = 'pg_class'::regclass
      union all
      select true, found[1]::oid from pg_proc p, regexp_matches(p.prosqlbody::text, ':(?:funcid|opfuncid|aggfnoid|winfnoid) (\d+)', 'g') found
        where item.is_function and p.oid = item.id and p.oid >= 16384
    ) next
  ), body(what, text) as (
    select c.oid::regclass::text, w.ev_action::text from item join pg_class c on c.oid = item.id join pg_rewrite w on w.ev_class = c.oid
      where not is_function and w.ev_type = '1'
    union all
    select p.oid::regprocedure::text, p.prosqlbody::text from item join pg_proc p on p.oid = item.id where is_function and p.oid >= 16384
  )
  select c.oid, nspname || '.' || relname, case
      when c.oid < 16384 then format('%s belongs to Postgres', c.oid::regclass)
      when relkind = 'f' then format('%s is a foreign table', c.oid::regclass)
      when relkind = 'm' then format('%s is a materialized view', c.oid::regclass)
      when relispartition and nspname = 'routing' then null
      when not exists (select from pg_trigger where tgrelid = c.oid and tgfoid = 'routing.tell_change'::regproc and tgenabled in ('O', 'A'))
        then format('%s has no trigger for notices, which `up` creates for tracked tables', c.oid::regclass)
    end
    from item join pg_class c on c.oid = item.id join pg_namespace n on n.oid = relnamespace
    where not is_function and relkind in ('r', 'p', 'f', 'm')
  union all
  select null, null, case
      when p.oid >= 16384 and provolatile <> 'v' then format('the function %s has no body of BEGIN ATOMIC', p.oid::regprocedure)
      when provolatile = 'v' then format('the function %s is volatile', p.oid::regprocedure)
      else format('the function %s depends on the time or the session', p.oid::regprocedure)
    end
    from item join pg_proc p on p.oid = item.id
    where is_function and provolatile <> 'i' and (provolatile = 'v' or case when p.oid >= 16384 then prosqlbody is null
      else proname ~ '^(now|age|timeofday|.*_timestamp|pg_.*|txid_.*|current_.*|has_.*|row_security_active|inet_(client|server)_.*|.*_to_xml.*)$'
        and not (proname = 'age' and pronargs > 1) and proname not in ('to_timestamp') end)
  union all
  select null, null, format('%s contains CURRENT_TIMESTAMP or a similar value', what) from body where text like '%{SQLVALUEFUNCTION %'
$$;

-- Creates the triggers of the tables that the metadata reads, and drops those of the others. Returns a sentence for each change.
create function routing.watch_tables(relations oid[], functions oid[]) returns setof text
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  read oid[] := array(select relation from public.tables_read_by(relations, functions) where relation is not null);
  changed record;
begin
  for changed in
    select c.oid::regclass as name from pg_class c
    where c.oid = any (read) and relkind in ('r', 'p') and pg_get_userbyid(relowner) = current_user and not (relispartition and relnamespace = 'routing'::regnamespace)
      and not exists (select from pg_trigger where tgrelid = c.oid and tgfoid = 'routing.tell_change'::regproc and tgenabled = 'O')
    order by c.oid
  loop
    execute format('create or replace trigger routeql_change after insert or update or delete or truncate on %s
      for each statement execute function routing.tell_change()', changed.name);
    return next format('made %s tell its changes', changed.name);
  end loop;
  for changed in
    select tgrelid::regclass as name, tgname from pg_trigger
    where tgfoid = 'routing.tell_change'::regproc and tgrelid <> all (read)
    order by tgrelid
  loop
    execute format('drop trigger %I on %s', changed.tgname, changed.name);
    return next format('%s tells no changes any more', changed.name);
  end loop;
end $$;
