-- A file with times from 1990 to 2099 made 1,320 partitions, and every query without a time searched all of them. Now no partition lies in the
-- future, and there are at most 250 of them: twenty years of months and a reserve.
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
  if first < '1990-01-01' or last > (now() at time zone 'UTC') + interval '1 day' then
    raise exception 'ensure_partitions takes days from 1990 to tomorrow' using errcode = 'invalid_parameter_value';
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
      if length(name) = length('bgp_updates_YYYYMM') and (
        select count(*) >= 250 from pg_inherits join pg_class partition on partition.oid = inhrelid
        where inhparent = 'routing.bgp_updates'::regclass and relname ~ '_\d{6}$'
      ) then
        raise exception 'routing.bgp_updates has 250 months, the most that it may have' using errcode = 'program_limit_exceeded',
          hint = 'Delete old updates with npm run prune, or load fewer months (--max-age-days).';
      end if;
      -- Made beside the table and then attached: readers and writers of the others need not wait.
      execute format('create table routing.%I (like routing.bgp_updates including all)', name);
      execute format('alter table routing.bgp_updates attach partition routing.%I for values from (%L) to (%L)', name, wanted, after);
      made := made + 1;
    end if;
    wanted := after;
  end loop;
  return made;
end $$;
