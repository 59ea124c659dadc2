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

create table routing.vrp_lists (
  single boolean primary key default true check (single),
  source text not null,
  built_at timestamp not null,
  loaded_at timestamp not null default (now() at time zone 'UTC')
);
comment on column routing.vrp_lists.built_at is 'When the validator made the list.';

-- Validity of a route by RFC 6811 section 2, with the reasons that view_hijacks.rpki_status distinguishes. AS 0 authorises no route (RFC 6483
-- section 4). An origin of -1 is unknown or a set, which no payload matches.
create function routing.rpki_validity(route inet, origin bigint) returns varchar(2)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select case
    when not exists (select from routing.vrp_lists) then 'NA'
    when count(*) = 0 then 'NF'
    when origin is null or origin < 0 then 'IU'
    when bool_or(asn = origin and masklen(route) <= max_length) and origin <> 0 then 'VD'
    when bool_or(asn = origin) and origin <> 0 then 'IL'
    else 'IA'
  end
  from routing.vrps where prefix >>= route
$$;

-- The origin of a hijack: the last AS of its newest announcement, else the AS that broke the rule.
create function routing.hijack_origin(hijack_key text, hijack_as bigint) returns bigint
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select coalesce((
    select as_path[cardinality(as_path)] from routing.update_links link
    where link.hijack_key = hijack_origin.hijack_key and link.type = 'A' and link.as_path <> '{}'
    order by "timestamp" desc limit 1), hijack_as)
$$;

-- At commit, because the links of a new record follow it. Its name is before that of the trigger that gives positions.
create function routing.validate_new_hijack() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  update routing.hijacks h set rpki_status = routing.rpki_validity(h.prefix, routing.hijack_origin(h.key, h.hijack_as))
  where h.key = new.key and h.rpki_status = 'NA' and exists (select from routing.vrp_lists);
  return null;
end $$;
create constraint trigger origin_validated after insert on routing.hijacks deferrable initially deferred
  for each row execute function routing.validate_new_hijack();

-- Validates active hijacks, and those that were never checked, with a new list. Returns how many changed.
create function routing.validate_hijacks() returns bigint
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
  with validated as (
    select key, routing.rpki_validity(prefix, routing.hijack_origin(key, hijack_as)) as status
    from routing.hijacks where active or rpki_status = 'NA'
  ), changed as (
    update routing.hijacks h set rpki_status = v.status from validated v
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
