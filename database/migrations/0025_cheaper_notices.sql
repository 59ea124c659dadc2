-- The trigger runs for each statement of every writer. A search_path of its own, and a call of another SQL function, took most of its time, so it
-- names the schema of each function instead, and uses no operator. The key is that of routing.listening_key.
create or replace function routing.tell_change() returns trigger
language plpgsql security definer as $$
declare
  key constant bigint := pg_catalog.int8pl(8243128167670218752, tg_relid::bigint);
  was_free boolean;
begin
  -- Another writer can hold the lock for an instant, which is not an engine.
  for attempt in 1..3 loop
    -- One expression: an interrupt between two statements would leave the lock behind.
    was_free := case when pg_catalog.pg_try_advisory_lock(key) then pg_catalog.pg_advisory_unlock(key) else false end;
    if was_free then return null; end if;
  end loop;
  perform pg_catalog.pg_notify('routeql_changes', pg_catalog.concat(tg_table_schema, '.', tg_table_name));
  return null;
end $$;
