-- Losses of visibility: fewer peers than wanted announce a configured prefix any more.
alter table routing.configured_prefixes add column min_peers integer default 1;
comment on column routing.configured_prefixes.min_peers is 'With fewer peers the prefix has lost its visibility. Null: not watched.';
update routing.configured_prefixes set min_peers = null where origins = '{}';

-- Without a row of a prefix, detect computes its losses from the stored updates.
create table routing.prefix_peers (
  prefix inet not null references routing.configured_prefixes on delete cascade,
  peer_asn bigint not null,
  announced boolean not null,
  last_update timestamp not null,
  primary key (prefix, peer_asn)
);
comment on table routing.prefix_peers is 'What each peer last said about a configured prefix itself. It survives the deletion of old updates.';

create table routing.visibility_losses (
  prefix inet not null,
  time_started timestamp not null,
  time_ended timestamp,
  active boolean not null default true,
  min_peers integer not null,
  num_peers integer not null,
  primary key (prefix, time_started),
  constraint visibility_losses_ended check (time_ended is null or time_ended >= time_started and not active)
);
create index on routing.visibility_losses (prefix) where active;

create view public.view_visibility_losses as
select prefix, time_started, time_ended, active, min_peers, num_peers from routing.visibility_losses;

comment on view public.view_visibility_losses is
  'Losses of visibility: fewer monitors than min_peers announced a configured prefix, after enough had.';
comment on column public.view_visibility_losses.prefix is 'The configured prefix; more specific ones do not count.';
comment on column public.view_visibility_losses.time_started is 'Time of the withdrawal that left fewer than min_peers, in UTC.';
comment on column public.view_visibility_losses.time_ended is 'Time of the return, in UTC. Null while it lasts.';
comment on column public.view_visibility_losses.active is 'True while it lasts. False without time_ended: the prefix is no longer watched.';
comment on column public.view_visibility_losses.min_peers is 'Monitors that the configuration demanded.';
comment on column public.view_visibility_losses.num_peers is 'Fewest monitors that announced the prefix meanwhile.';
