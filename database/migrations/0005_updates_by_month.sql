-- One partition per month: a query without a time searches every partition, and each costs some microseconds, even an empty one.
-- A month with daily partitions of an earlier version keeps them until they are merged (database/partitions).
create or replace function routing.ensure_partitions(first timestamp, last timestamp) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  wanted date := first::date;
  month date;
  name text;
  after date;
  made integer := 0;
begin
  if wanted is null or last is null or last < first or last::date - wanted > 366 then
    raise exception 'ensure_partitions takes a range of at most 366 days' using errcode = 'invalid_parameter_value';
  end if;
  if first < '1990-01-01' or last >= '2100-01-01' then
    raise exception 'ensure_partitions takes days from 1990 to 2099' using errcode = 'invalid_parameter_value';
  end if;
  perform pg_advisory_xact_lock(7241865325823965);
  while wanted <= last::date loop
    month := date_trunc('month', wanted);
    if exists (
      select from pg_inherits join pg_class partition on partition.oid = inhrelid
      where inhparent = 'routing.bgp_updates'::regclass and relname ~ ('^bgp_updates_' || to_char(month, 'YYYYMM') || '\d\d$')
    ) then
      name := 'bgp_updates_' || to_char(wanted, 'YYYYMMDD');
      after := wanted + 1;
    else
      name := 'bgp_updates_' || to_char(month, 'YYYYMM');
      wanted := month;
      after := month + interval '1 month';
    end if;
    if to_regclass('routing.' || name) is null then
      -- Made beside the table and then attached: readers and writers of the others need not wait.
      execute format('create table routing.%I (like routing.bgp_updates including all)', name);
      execute format('alter table routing.bgp_updates attach partition routing.%I for values from (%L) to (%L)', name, wanted, after);
      made := made + 1;
    end if;
    wanted := after;
  end loop;
  return made;
end $$;
