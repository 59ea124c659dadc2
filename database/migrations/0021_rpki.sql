-- Route origin validation (RFC 6811). Validated ROA payloads come from `npm run vrps`.
create table routing.vrps (
  prefix inet not null,
  max_length smallint not null,
  asn bigint not null,
  primary key (prefix, max_length, asn)
);
-- Finds the payloads whose prefix covers a route.
create index on routing.vrps using gist (prefix inet_ops);
comment on table routing.vrps is 'Validated ROA payloads of the newest list.';

-- Validity of a route by RFC 6811 section 2, with the reasons that view_hijacks.rpki_status distinguishes. AS 0 authorises no route (RFC 6483
-- section 4). An origin of -1 is unknown or a set, which no payload matches.
create function routing.rpki_validity(route inet, origin bigint) returns varchar(2)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select case
    when not exists (select from routing.vrps) then 'NA'
    when count(*) = 0 then 'NF'
    when origin is null or origin < 0 then 'IU'
    when bool_or(asn = origin and masklen(route) <= max_length) and origin <> 0 then 'VD'
    when bool_or(asn = origin) and origin <> 0 then 'IL'
    else 'IA'
  end
  from routing.vrps where prefix >>= route
$$;

-- The origin of a hijack: the last AS of its newest announcement, else the AS that broke the rule.
alter table routing.hijacks add column last_path bigint[];
create function routing.hijack_origin(last_path bigint[], hijack_as bigint) returns bigint
language sql immutable set search_path = pg_catalog, pg_temp
return coalesce(last_path[cardinality(last_path)], hijack_as);

create function routing.validate_new_hijacks() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  update routing.hijacks h set rpki_status = v.status
  from (select key, routing.rpki_validity(prefix, routing.hijack_origin(last_path, hijack_as)) as status from added where rpki_status = 'NA') v
  where h.key = v.key and v.status <> 'NA';
  return null;
end $$;
create trigger origin_validated after insert on routing.hijacks
  referencing new table as added for each statement execute function routing.validate_new_hijacks();

-- Validates active hijacks, and those that were never checked, with a new list. Returns how many changed.
create function routing.validate_hijacks() returns bigint
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
  with changed as (
    update routing.hijacks h set rpki_status = v.status
    from (select key, routing.rpki_validity(prefix, routing.hijack_origin(last_path, hijack_as)) as status
      from routing.hijacks where active or rpki_status = 'NA') v
    where v.key = h.key and v.status <> h.rpki_status returning 1
  )
  select count(*) from changed
$$;

-- The time of the list is a metric, so that an old one raises an alert.
alter table migrations.finished_runs drop constraint if exists finished_runs_run_check;
alter table migrations.finished_runs add constraint finished_runs_run_check
  check (run in ('backup', 'restore', 'load', 'detect', 'prune', 'drill', 'vrps'));
create function migrations.record_vrps(built_at timestamp, seconds real) returns void
language sql security definer set search_path = pg_catalog, pg_temp
begin atomic
  insert into migrations.finished_runs (run, finished_at, seconds)
  values ('vrps', record_vrps.built_at at time zone 'UTC', record_vrps.seconds)
  on conflict (run) do update set finished_at = excluded.finished_at, seconds = excluded.seconds;
end;
