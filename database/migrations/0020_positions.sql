-- Positions: a number for each row in the order of arrival, so that a reader who continues after a position misses no row. Transactions get
-- positions under one lock and hold it until they commit, so they become visible in this order too. Positions follow the clock in microseconds
-- and never fall behind it. So they rise after a restore, a recovery or a failover, although the numbers given meanwhile are unknown.
create sequence routing.update_positions;
create sequence routing.hijack_positions_given;

-- A generation begins where the past of a log changes. Its number is a position, so it also rises over restores.
create table routing.log_generations (
  log text not null check (log in ('updates', 'hijacks')),
  generation bigint not null,
  kept_position bigint not null,
  reason text not null check (reason in ('start', 'restore', 'recovery', 'fill')),
  timeline text not null,
  started_at timestamp not null default (now() at time zone 'UTC'),
  primary key (log, generation)
);

-- Exists while updates from before positions have none. Until each month has its index, the log is empty: it would have to sort whole months.
create table routing.old_updates (
  single boolean primary key default true check (single),
  first_live bigint not null,
  indexed boolean not null default false
);

-- Takes the lock of a log, lets its positions follow the clock, and begins a generation if this server did not write the newest row of the log.
create function routing.open_log(log text, reason text default null) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = 0 as $$
declare
  numbers regclass := case open_log.log when 'updates' then 'routing.update_positions' else 'routing.hijack_positions_given' end;
  clock bigint := extract(epoch from clock_timestamp()) * 1000000;
  -- The first eight digits of a WAL file's name: a recovered server and a promoted replica have a new timeline.
  here text := left(pg_walfile_name(pg_current_wal_lsn()), 8);
  newest routing.log_generations;
  given bigint;
  kept bigint := 0;
begin
  perform pg_advisory_xact_lock(case open_log.log when 'updates' then 7241865325823969 else 7241865325823970 end);
  execute format('select last_value from %s', numbers) into given;
  -- JavaScript reads numbers below 2^53 exactly. A clock beyond the year 2112 is wrong.
  if clock > given and clock < 4503599627370496 then
    given := setval(numbers, clock);
  end if;
  select * into newest from routing.log_generations g where g.log = open_log.log order by generation desc limit 1;
  if open_log.reason is not null or newest.generation is null or newest.timeline <> here then
    if open_log.reason is null and newest.generation is not null then
      if open_log.log = 'updates' then select max(position) into kept from routing.bgp_updates;
      else select max(position) into kept from routing.hijack_positions;
      end if;
    end if;
    insert into routing.log_generations (log, generation, kept_position, reason, timeline)
    values (open_log.log, nextval(numbers), coalesce(kept, 0),
      coalesce(open_log.reason, case when newest.generation is null then 'start' else 'recovery' end), here);
  end if;
  perform set_config('routeql.open_' || open_log.log, 'true', true);
end $$;

-- Updates. New rows get a position by default, which is fast; the statement's trigger takes the lock before.
alter table routing.bgp_updates add column position bigint;
select setval('routing.update_positions', (extract(epoch from clock_timestamp()) * 1000000)::bigint),
  setval('routing.hijack_positions_given', (extract(epoch from clock_timestamp()) * 1000000)::bigint);
alter table routing.bgp_updates alter column position set default nextval('routing.update_positions');
create index bgp_updates_position on only routing.bgp_updates (position);
insert into routing.old_updates (first_live)
select last_value + 1 from routing.update_positions where exists (select from routing.bgp_updates);

create function routing.open_updates() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform routing.open_log('updates');
  return null;
end $$;
create trigger log_opened before insert or update on routing.bgp_updates for each statement execute function routing.open_updates();

-- A changed row gets a new position. Statements that name a partition do not fire the trigger above, so their rows take the lock.
create function routing.position_update() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if current_setting('routeql.open_updates', true) is distinct from 'true' then
    perform routing.open_log('updates');
  end if;
  new.position := nextval('routing.update_positions');
  return new;
end $$;
create trigger position_given before insert on routing.bgp_updates
  for each row when (current_setting('routeql.open_updates', true) is distinct from 'true') execute function routing.position_update();
create trigger position_renewed before update on routing.bgp_updates
  for each row when (old.* *<> new.*) execute function routing.position_update();

-- Hijacks. Positions are given at commit, so an operator's change never waits for detection to end.
create table routing.hijack_positions (
  key varchar(32) primary key,
  position bigint not null unique
);
insert into routing.hijack_positions (key, position)
select key, nextval('routing.hijack_positions_given') from (select key from routing.hijacks order by time_detected, key) known;

create function routing.position_hijacks(keys text[]) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if current_setting('routeql.open_hijacks', true) is distinct from 'true' then
    perform routing.open_log('hijacks');
  end if;
  insert into routing.hijack_positions (key, position)
  select key, nextval('routing.hijack_positions_given') from routing.hijacks where key = any (keys)
  on conflict (key) do update set position = excluded.position;
end $$;

create function routing.position_hijack() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform routing.position_hijacks(array[new.key]);
  return null;
end $$;
create constraint trigger position_given after insert on routing.hijacks deferrable initially deferred
  for each row execute function routing.position_hijack();
create constraint trigger position_renewed after update on routing.hijacks deferrable initially deferred
  for each row when (old.* *<> new.*) execute function routing.position_hijack();

-- Rows that a changed organisation of their prefix shows to a tenant get new positions. A prefix that is configured again can have rows of before.
create table routing.former_prefixes (prefix inet primary key);

create function routing.follow_organisation() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if tg_op = 'DELETE' then
    insert into routing.former_prefixes (prefix) values (old.prefix) on conflict do nothing;
    return null;
  elsif tg_op = 'INSERT' then
    delete from routing.former_prefixes where prefix = new.prefix;
    if not found then return null; end if;
  end if;
  -- The trigger of the row replaces the number.
  update routing.bgp_updates set position = 0
  where prefix between new.prefix and set_masklen(broadcast(new.prefix), case family(new.prefix) when 4 then 32 else 128 end)
    and matched_prefix = new.prefix;
  return null;
end $$;
create trigger organisation_added after insert or delete on routing.configured_prefixes
  for each row execute function routing.follow_organisation();
create trigger organisation_changed after update of organisation on routing.configured_prefixes
  for each row when (old.organisation is distinct from new.organisation) execute function routing.follow_organisation();

create function routing.follow_organisation_of_hijacks() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  keys text[] := array(select key::text from routing.hijacks where configured_prefix = new.prefix);
begin
  if keys <> '{}' then perform routing.position_hijacks(keys); end if;
  return null;
end $$;
create constraint trigger hijacks_added after insert on routing.configured_prefixes deferrable initially deferred
  for each row execute function routing.follow_organisation_of_hijacks();
create constraint trigger hijacks_changed after update of organisation on routing.configured_prefixes deferrable initially deferred
  for each row when (old.organisation is distinct from new.organisation) execute function routing.follow_organisation_of_hijacks();

create view public.view_bgpupdates_log as
select prefix, origin_as, peer_asn, as_path, service, type, communities, "timestamp", hijack_key, handled, matched_prefix, orig_path,
  key, position,
  coalesce((select max(g.generation) from routing.log_generations g where g.log = 'updates' and g.generation <= position), 0) as generation
from routing.bgp_updates
where position > (select coalesce(max(first_live) - 1, 0) from routing.old_updates)
  and not exists (select from routing.old_updates where not indexed);

create view public.view_hijacks_log as
select h.active, h.comment, h.configured_prefix, h.hijack_as, h.ignored, h.dormant, h.key, h.mitigation_started, h.num_asns_inf, h.num_peers_seen,
  h.outdated, h.peers_seen, h.peers_withdrawn, h.prefix, h.resolved, h.seen, h.time_detected, h.time_ended, h.time_last, h.time_started,
  h.timestamp_of_config, h.type, h.under_mitigation, h.withdrawn, h.community_annotation, h.rpki_status,
  p.position,
  coalesce((select max(g.generation) from routing.log_generations g where g.log = 'hijacks' and g.generation <= p.position), 0) as generation
from routing.hijack_positions p join routing.hijacks h on h.key = p.key;

create view public.view_log_generations as
select log, generation, kept_position, reason, started_at
from routing.log_generations;

comment on view public.view_bgpupdates_log is
  'The rows of view_bgpupdates in the order of their arrival, with a position that a reader can continue after.';
comment on column public.view_bgpupdates_log.key is
  'Identifier of the row. A row that comes again with a new position has the same key.';
comment on column public.view_bgpupdates_log.position is
  'Number in the order of arrival or of the last change, not of time. No row appears later at or below a position that was read.';
comment on column public.view_bgpupdates_log.generation is
  'Generation of the log in which the row got its position (view_log_generations). A later one than before means that the past changed.';
comment on view public.view_hijacks_log is
  'The rows of view_hijacks in the order of their last changes, with a position that a reader can continue after.';
comment on column public.view_hijacks_log.position is
  'Number of the last change of the hijack in the order of the changes. No row appears later at or below a position that was read.';
comment on column public.view_hijacks_log.generation is
  'Generation of the log in which the row got its position (view_log_generations). A later one than before means that the past changed.';
comment on view public.view_log_generations is
  'Generations of the logs: a new one begins when rows that a reader may have read are gone or reverted.';
comment on column public.view_log_generations.log is
  'The log: updates (view_bgpupdates_log) or hijacks (view_hijacks_log).';
comment on column public.view_log_generations.generation is
  'Number of the generation: a position below all of its rows.';
comment on column public.view_log_generations.kept_position is
  'A reader that read no position above it has missed nothing and continues. Other readers start again at position 0.';
comment on column public.view_log_generations.reason is
  'start: the first row of the log. restore: a backup was restored. recovery: a point-in-time recovery or a failover. fill: older updates got positions.';
comment on column public.view_log_generations.started_at is
  'Time at which the generation began, in UTC.';

-- The columns that a log shares with its view have the same descriptions. Call it after a change of those.
create function routing.describe_logs() returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  described record;
begin
  for described in
    select log.attrelid::regclass as log, log.attname as name, col_description(own.attrelid, own.attnum) as description
    from (values ('public.view_bgpupdates'::regclass, 'public.view_bgpupdates_log'::regclass), ('public.view_hijacks', 'public.view_hijacks_log')) as pair (view, log)
    join pg_attribute own on own.attrelid = pair.view and own.attnum > 0
    join pg_attribute log on log.attrelid = pair.log and log.attname = own.attname
  loop
    execute format('comment on column %s.%I is %L', described.log, described.name, described.description);
  end loop;
end $$;
select routing.describe_logs();
