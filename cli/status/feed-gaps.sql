-- Gaps of the metric `feed_unfilled_gaps`, and those that last.
select gap::float8 as gap, source, reason, to_char(time_started, 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as since,
  to_char(time_ended, 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as until
from public.view_feed_gaps
where time_filled is null and (time_ended is null or time_ended > (now() at time zone 'UTC') - interval '7 days')
order by time_started desc
