-- Routing updates, hijacks and the configuration of detection. Every column "timestamp" and time_* is UTC without zone, with microseconds.
create schema routing;

create table routing.bgp_updates (
  key uuid not null,
  prefix inet not null,
  origin_as bigint not null,
  peer_asn bigint,
  as_path bigint[] not null,
  service varchar(50) not null,
  type varchar(1) not null,
  communities json not null default '[]',
  "timestamp" timestamp not null,
  hijack_key text[] not null default '{}',
  handled boolean not null default false,
  matched_prefix inet,
  orig_path json,
  primary key ("timestamp", key),
  constraint bgp_updates_type check (type in ('A', 'W')),
  constraint bgp_updates_withdrawal check (type = 'A' or as_path = '{}'),
  constraint bgp_updates_origin check (origin_as = coalesce(as_path[cardinality(as_path)], -1))
) partition by range ("timestamp");
comment on column routing.bgp_updates.key is 'routing.update_key: the same update is the same row, whichever file it comes from.';
comment on column routing.bgp_updates.origin_as is 'Last AS of the path; -1 when the path is empty, as of every withdrawal.';
comment on column routing.bgp_updates.peer_asn is 'AS of the monitor; null when the source does not say it.';
comment on column routing.bgp_updates.service is 'source|collector, such as ripe-ris|rrc03.';
comment on column routing.bgp_updates.orig_path is 'The path as announced, AS sets as nested lists, where it held a set; else null.';
comment on column routing.bgp_updates.handled is 'Detection has compared this update with a configured prefix.';

-- The newest rows first come from the primary key, read backwards.
create index on routing.bgp_updates (prefix, "timestamp");
create index on routing.bgp_updates (origin_as, "timestamp");
create index on routing.bgp_updates (peer_asn, "timestamp");
create index on routing.bgp_updates using gin (hijack_key);

create table routing.hijacks (
  key varchar(32) primary key,
  type varchar(7) not null,
  prefix inet not null,
  hijack_as bigint not null,
  peers_seen bigint[] not null default '{}',
  peers_withdrawn bigint[] not null default '{}',
  num_peers_seen integer not null default 0,
  asns_inf bigint[] not null default '{}',
  num_asns_inf integer not null default 0,
  time_started timestamp,
  time_last timestamp,
  time_ended timestamp,
  mitigation_started timestamp,
  time_detected timestamp not null,
  under_mitigation boolean not null default false,
  resolved boolean not null default false,
  active boolean not null default true,
  ignored boolean not null default false,
  withdrawn boolean not null default false,
  outdated boolean not null default false,
  dormant boolean not null default false,
  seen boolean not null default false,
  configured_prefix inet,
  timestamp_of_config timestamp,
  comment text not null default '',
  community_annotation text not null default 'NA',
  rpki_status varchar(2) not null default 'NA',
  constraint possible_states check (
    case when active then not (resolved or ignored or withdrawn or outdated)
    else (resolved or ignored or withdrawn or outdated) and not (resolved and ignored) end),
  constraint dormant_active check (active or not dormant)
);
create index on routing.hijacks (time_last);
create index on routing.hijacks (prefix, time_last);
create index on routing.hijacks (hijack_as, time_last);
create index on routing.hijacks (configured_prefix, time_last);
create index on routing.hijacks (time_last) where active;

create table routing.configured_prefixes (
  prefix inet primary key,
  origins bigint[] not null,
  organisation text references auth.organisations,
  configured_at timestamp not null default (now() at time zone 'UTC')
);
create index on routing.configured_prefixes (organisation);
-- Finds the most specific configured prefix around another.
create index on routing.configured_prefixes using gist (prefix inet_ops);
comment on column routing.configured_prefixes.origins is 'Legitimate origins; none at all: nobody may announce this prefix.';

-- Links between updates and hijacks: the content of bgp_updates.hijack_key in a form for joins in both directions.
create table routing.update_links (
  hijack_key varchar(32) not null references routing.hijacks on delete cascade deferrable initially deferred,
  "timestamp" timestamp not null,
  identity uuid not null,
  prefix inet not null,
  peer_asn bigint,
  type varchar(1) not null,
  as_path bigint[] not null,
  service varchar(50) not null,
  primary key (hijack_key, "timestamp", identity)
);
create index on routing.update_links ("timestamp", prefix);
