-- Earlier, each load analysed every partition, and the duration grew with the history (120 months: 8 s and more). Now a load analyses only
-- partitions that have grown by a tenth since their last analysis, before autovacuum does, and the whole table after a change of a tenth.
create or replace function routing.analyse_updates() returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  partition regclass;
  updates float8;
  known float8;
begin
  for partition in
    select c.oid from pg_inherits join pg_class c on c.oid = inhrelid
    where inhparent = 'routing.bgp_updates'::regclass
      and pg_relation_size(c.oid) / current_setting('block_size')::integer > 1.1 * relpages + 10
  loop
    execute format('analyze %s', partition);
  end loop;
  select sum(greatest(c.reltuples, 0)) into updates
  from pg_inherits join pg_class c on c.oid = inhrelid where inhparent = 'routing.bgp_updates'::regclass;
  select greatest(reltuples, 0) into known from pg_class where oid = 'routing.bgp_updates'::regclass;
  if updates not between 0.9 * known and 1.1 * known then
    analyze routing.bgp_updates;
  end if;
end $$;
