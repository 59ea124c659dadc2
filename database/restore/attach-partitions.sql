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
