-- After the rows. A table with pending checks of constraints cannot become a partition.
set constraints all immediate;
-- Readers of the logs learn that the past changed. A backup of an earlier version has no logs, and the migrate job creates them.
do $$ begin
  if to_regprocedure('routing.open_log(text,text)') is not null then
    perform routing.open_log('updates', 'restore'), routing.open_log('hijacks', 'restore');
  end if;
end $$;
do $$ declare part record; begin
  for part in
    select relname, to_date(rpad(stamp, 8, '01'), 'YYYYMMDD') as first, case length(stamp) when 8 then '1 day' else '1 month' end::interval as unit
    from pg_class, substring(relname from '^bgp_updates_(\d{6}|\d{8})$') as stamp
    where relnamespace = 'routing'::regnamespace and relkind = 'r' and stamp is not null order by relname
  loop
    execute format('alter table routing.bgp_updates attach partition routing.%I for values from (%L) to (%L)',
      part.relname, part.first, (part.first + part.unit)::date);
  end loop;
end $$;
-- The engines learn at the commit that everything changed. No trigger fires: the tables are new, and get theirs by the migrate job.
select pg_notify('routeql_changes', '*');
