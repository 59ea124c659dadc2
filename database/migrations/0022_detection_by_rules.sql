-- Detection by rules, with one record for each episode of a hijack.

-- The active configuration: its version changes with each change. Without a row, loads judge nothing until detect has run.
create table routing.detection (
  single boolean primary key default true check (single),
  version bigint not null,
  autoignore jsonb not null default '[]'
);
comment on column routing.detection.version is 'Microseconds since 1970 of the change: also unique after a restore.';
comment on column routing.detection.autoignore is 'Rules by which a silent hijack of few monitors becomes ignored.';

create table routing.detection_rules (
  id text primary key,
  rule jsonb not null
);
comment on table routing.detection_rules is 'Rules of configured prefixes, by the hash of their content.';

alter table routing.configured_prefixes add column rules jsonb;
comment on column routing.configured_prefixes.origins is 'Legitimate origins; none at all: nobody may announce this prefix; -1: any AS.';
comment on column routing.configured_prefixes.rules is
  'Objects {low, high, order, rule}: lengths of the prefixes, place and detection_rules.id. Null: the origins alone decide.';
comment on column public.view_configured_prefixes.origins is
  'AS numbers that may originate the prefix. Empty when no AS may; -1 when any AS may.';

-- An update that is not newer than this cannot simply be added: the hijacks of the prefix are judged again from that time.
create table routing.judged_prefixes (
  prefix inet primary key,
  last_update timestamp not null
);
comment on column routing.judged_prefixes.last_update is 'Newest judged update of the prefix, or of the prefixes one bit longer.';

-- Why a record exists.
alter table routing.hijacks
  add column rule text,
  add column first_path bigint[],
  add column last_announced timestamp,
  add column outdated_parent varchar(32);
comment on column routing.hijacks.rule is 'Rule that the newest announcement breaks.';
comment on column routing.hijacks.outdated_parent is 'Record of the same announcements under the previous configuration.';

create table routing.hijack_peers (
  hijack_key varchar(32) not null,
  peer_asn bigint not null,
  first_seen timestamp not null,
  last_seen timestamp not null,
  withdrawn_at timestamp,
  primary key (hijack_key, peer_asn)
);
comment on column routing.hijack_peers.last_seen is 'Newest hijacked announcement of the monitor.';

comment on table public.view_hijacks is
  'Hijacks: announcements of configured prefixes that break a rule of the configuration. One row per episode: after the end of a hijack, a new announcement of the same prefix, AS number and type begins another row.';
comment on column public.view_hijacks.key is
  'Identifier of the hijack: 32 hexadecimal digits, from its first judged update. view_bgpupdates.hijack_key refers to it.';
comment on column public.view_hijacks.type is
  'Four fields separated by bars: prefix|path|data plane|policy. Prefix: E exact prefix, S sub-prefix, Q squatting (a prefix that no AS may announce). Path: 0 wrong origin, 1 wrong AS beside the origin, P wrong sequence of ASes before the origin. Policy: L route leak. A dash means that the field does not apply. E|0|-|- is the exact prefix with a wrong origin.';
comment on column public.view_hijacks.hijack_as is
  'AS number that broke the rule: the wrong origin, the wrong AS beside it, or the first AS outside the sequence. -1 when it is unknown.';
comment on column public.view_hijacks.configured_prefix is
  'Configured prefix that decided: the announced prefix itself within a range of lengths, else the longest one around it.';
comment on column public.view_hijacks.dormant is
  'True for an active hijack whose time_last is more than 24 hours ago, as of the last detection or load.';
comment on column public.view_hijacks.withdrawn is
  'True once 80 percent of the monitors that saw the hijack, rounded to a whole number, withdrew it.';
comment on column public.view_hijacks.outdated is
  'True once a changed configuration no longer counts the announcement as this hijack. Later announcements belong to another row.';
comment on column public.view_hijacks.time_last is
  'Time of the latest announcement of the hijack, or of the latest withdrawal by which a monitor lost it, in UTC.';
comment on column public.view_hijacks.time_ended is
  'Time at which the hijack was withdrawn or resolved, in UTC. Null while it lasts.';
comment on column public.view_hijacks.peers_withdrawn is
  'AS numbers of the monitors that lost the hijack: they withdrew the prefix, or announced it or one of its halves as configured.';
comment on column public.view_hijacks.num_asns_inf is
  'Number of ASes whose paths lead to the hijacker (infected ASes). The ASes at the end of the path that may be legitimate do not count.';
comment on column public.view_hijacks.community_annotation is
  'Most serious annotation of the configuration whose communities an announcement had, or free text. NA when there is none.';
select routing.describe_logs();

-- Records of before: what an open one needs to continue.
insert into routing.hijack_peers (hijack_key, peer_asn, first_seen, last_seen, withdrawn_at)
select hijack_key, peer_asn, min("timestamp") filter (where type = 'A'), max("timestamp") filter (where type = 'A'),
  case when max("timestamp") filter (where type = 'W') >= max("timestamp") filter (where type = 'A')
    then max("timestamp") filter (where type = 'W') end
from routing.update_links link
where peer_asn is not null and exists (select from routing.hijacks h where h.key = link.hijack_key and h.active)
group by hijack_key, peer_asn
having bool_or(type = 'A');
-- After the rows: migrations share a transaction, and with pending checks no later one could alter the table.
alter table routing.hijack_peers add foreign key (hijack_key) references routing.hijacks on delete cascade deferrable initially deferred;

-- An ignored record stays ignored too, once a later record continues it.
create or replace function routing.set_hijack_flags() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  right_now timestamp := now() at time zone 'UTC';
  later record;
begin
  if length(new.comment) > 10000 then
    raise exception 'the comment of hijack % has % characters; at most 10000 are allowed', new.key, length(new.comment)
      using errcode = 'check_violation';
  end if;
  if new.resolved and new.ignored then
    raise exception 'hijack % cannot be both resolved and ignored; set the other flag to false in the same request', new.key
      using errcode = 'check_violation';
  end if;
  new.active := not (new.resolved or new.ignored or new.withdrawn or new.outdated);
  if new.resolved and not old.resolved then
    new.time_ended := coalesce(new.time_ended, right_now);
  elsif new.active and not old.active then
    -- The view, because the engine's role may not read the table.
    select key, time_detected into later from public.view_hijacks other
    where other.prefix = new.prefix and other.hijack_as = new.hijack_as and other.type = new.type
      and other.key <> new.key and other.time_detected > new.time_detected
    order by other.time_detected limit 1;
    if found then
      raise exception 'hijack % cannot become active again: hijack % is a later record of it, of %', new.key, later.key, later.time_detected
        using errcode = 'check_violation';
    end if;
  end if;
  if old.resolved and not new.resolved and not (new.withdrawn or new.outdated) then
    new.time_ended := null;
  end if;
  if new.active and not old.active and new.time_ended is not null then
    raise exception 'hijack % ended at % and cannot become active again', new.key, new.time_ended
      using errcode = 'check_violation';
  end if;
  new.dormant := new.dormant and new.active;
  if new.under_mitigation and not old.under_mitigation then
    if not new.active then
      raise exception 'hijack % is not active, so it cannot be under mitigation', new.key
        using errcode = 'check_violation';
    end if;
    new.mitigation_started := coalesce(new.mitigation_started, right_now);
  elsif old.active and not new.active then
    new.under_mitigation := false;
  end if;
  return new;
end $$;
