-- The gaps of a source stay when the source leaves the settings of the feed.
alter table routing.feed_gaps drop constraint feed_gaps_source_fkey;
comment on table routing.feed_sources is
  'One row for each live source in use. Its feed updates it in the transaction that adds the rows; the feed deletes those that its settings do not name.';
comment on column public.view_feed_gaps.time_ended is
  'Null while it lasts. The gap of a source that leaves the settings ends then.';
