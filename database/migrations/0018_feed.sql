-- Live sources of updates, and each interval without one. All times are UTC without zone.
create table routing.feed_sources (
  source text primary key check (source ~ '^[a-z0-9-]{1,40}$'),
  covered_until timestamp not null,
  beat_at timestamp not null,
  stopped boolean not null default false
);
comment on table routing.feed_sources is 'One row for each live source. Its feed updates it in the transaction that adds the rows.';
comment on column routing.feed_sources.covered_until is 'Every update of the source until this time is stored, or lies in a gap.';
comment on column routing.feed_sources.beat_at is 'When the feed last wrote; also without updates, every few seconds.';
comment on column routing.feed_sources.stopped is 'The feed ended in order; otherwise it was killed or still runs.';

create table routing.feed_gaps (
  gap bigint generated always as identity primary key,
  source text not null references routing.feed_sources on delete cascade,
  time_started timestamp not null,
  time_ended timestamp,
  reason text not null,
  time_filled timestamp,
  rows_filled bigint,
  constraint feed_gaps_order check (time_ended >= time_started),
  constraint feed_gaps_filled check (time_filled is null or time_ended is not null)
);
comment on table routing.feed_gaps is 'An interval in which updates of the source may be missing.';
comment on column routing.feed_gaps.time_ended is 'Null while it lasts.';
comment on column routing.feed_gaps.time_filled is 'When npm run load --fill-gap loaded the missing updates from files.';
-- A source has at most one gap that lasts.
create unique index on routing.feed_gaps (source) where time_ended is null;
create index on routing.feed_gaps (time_started) where time_filled is null;

-- A feed that is gone writes no record of its own: its gap lasts from the last commit.
create view public.view_feed_gaps as
select gap, source, time_started, time_ended, reason, time_filled, rows_filled from routing.feed_gaps
union all
select null, source, covered_until, null, case when stopped then 'feed stopped' else 'no feed' end, null, null
from routing.feed_sources s
where beat_at < (now() at time zone 'UTC') - interval '1 minute'
  and not exists (select from routing.feed_gaps g where g.source = s.source and g.time_ended is null);

comment on view public.view_feed_gaps is
  'Intervals in which updates of a live source may be missing.';
comment on column public.view_feed_gaps.gap is 'Number for npm run load -- --fill-gap; null while no feed runs.';
comment on column public.view_feed_gaps.source is 'ris-live, or exabgp with the name of its router.';
comment on column public.view_feed_gaps.time_started is 'Earlier updates are stored, or lie in another gap.';
comment on column public.view_feed_gaps.time_ended is 'Null while it lasts.';
comment on column public.view_feed_gaps.reason is 'Such as silent, connection lost, buffer full, feed stopped or no feed.';
comment on column public.view_feed_gaps.time_filled is 'When files filled the gap.';
comment on column public.view_feed_gaps.rows_filled is 'New rows of these files.';
