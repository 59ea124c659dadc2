-- $1 episodes as JSON, times in microseconds since 1970; $2 the clock. Inserts new records and updates existing ones. Values of people
-- (resolved, ignored, seen, comment, mitigation) stay.
with wanted as (
  select *, 'epoch'::timestamp + started * interval '1 microsecond' as time_started,
    'epoch'::timestamp + last * interval '1 microsecond' as time_last,
    'epoch'::timestamp + ended * interval '1 microsecond' as time_ended,
    'epoch'::timestamp + "configuredAt" * interval '1 microsecond' as timestamp_of_config,
    'epoch'::timestamp + "lastAnnounced" * interval '1 microsecond' as last_announced,
    ended is null and last < $2::bigint - 86400000000 as dormant
  from jsonb_to_recordset($1) as w (
    key text, prefix inet, type text, hijacker bigint, rule text, "configuredPrefix" inet, "configuredAt" bigint, started bigint, last bigint,
    "lastAnnounced" bigint, ended bigint, infected bigint[], seen bigint[], withdrawn bigint[], annotation text, "firstPath" bigint[],
    "lastPath" bigint[], parent text)
)
insert into routing.hijacks as known (
  key, type, prefix, hijack_as, peers_seen, peers_withdrawn, num_peers_seen, asns_inf, num_asns_inf, time_started, time_last,
  time_ended, time_detected, withdrawn, active, dormant, configured_prefix, timestamp_of_config, community_annotation,
  rule, first_path, last_path, last_announced, outdated_parent)
select key, type, prefix, hijacker, seen, withdrawn, cardinality(seen), infected, cardinality(infected), time_started, time_last,
  time_ended, now() at time zone 'UTC', ended is not null, ended is null, dormant, "configuredPrefix", timestamp_of_config, annotation,
  rule, "firstPath", "lastPath", last_announced, parent
from wanted
on conflict (key) do update set
  peers_seen = excluded.peers_seen,
  peers_withdrawn = excluded.peers_withdrawn,
  num_peers_seen = excluded.num_peers_seen,
  asns_inf = excluded.asns_inf,
  num_asns_inf = excluded.num_asns_inf,
  time_started = excluded.time_started,
  time_last = excluded.time_last,
  time_ended = case when known.resolved or known.ignored then coalesce(known.time_ended, excluded.time_ended)
    else excluded.time_ended end,
  withdrawn = excluded.withdrawn,
  active = excluded.active and not (known.resolved or known.ignored),
  dormant = excluded.dormant and not (known.resolved or known.ignored),
  configured_prefix = excluded.configured_prefix,
  timestamp_of_config = excluded.timestamp_of_config,
  community_annotation = case when excluded.community_annotation = 'NA' then known.community_annotation
    else excluded.community_annotation end,
  rule = excluded.rule,
  first_path = excluded.first_path,
  last_path = excluded.last_path,
  last_announced = excluded.last_announced
where not known.outdated and (
  (known.peers_seen, known.peers_withdrawn, known.asns_inf, known.time_started, known.time_last, known.withdrawn, known.configured_prefix,
      known.timestamp_of_config, known.rule, known.first_path, known.last_path, known.last_announced)
    is distinct from (excluded.peers_seen, excluded.peers_withdrawn, excluded.asns_inf, excluded.time_started, excluded.time_last,
      excluded.withdrawn, excluded.configured_prefix, excluded.timestamp_of_config, excluded.rule, excluded.first_path, excluded.last_path,
      excluded.last_announced)
  or excluded.community_annotation not in ('NA', known.community_annotation)
  or not (known.resolved or known.ignored) and (known.time_ended, known.active, known.dormant)
    is distinct from (excluded.time_ended, excluded.active, excluded.dormant))
returning (xmax = 0) as is_new;
