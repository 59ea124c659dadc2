-- Inserts new records and updates the figures of existing ones. An operator's values (resolved, ignored, seen, comment, annotation,
-- mitigation) stay.
insert into routing.hijacks as known (
  key, type, prefix, hijack_as, peers_seen, peers_withdrawn, num_peers_seen, asns_inf, num_asns_inf, time_started, time_last,
  time_ended, time_detected, withdrawn, active, dormant, configured_prefix, timestamp_of_config)
select key, type, prefix, hijack_as, peers_seen, peers_withdrawn, cardinality(peers_seen), asns_inf, cardinality(asns_inf),
  time_started, time_last, withdrawn_at, now() at time zone 'UTC', withdrawn_at is not null, withdrawn_at is null,
  withdrawn_at is null and time_last < now() at time zone 'UTC' - interval '24 hours', configured_prefix, configured_at
from measured_hijacks
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
  outdated = false,
  active = excluded.active and not (known.resolved or known.ignored),
  dormant = excluded.dormant and not (known.resolved or known.ignored),
  configured_prefix = excluded.configured_prefix,
  timestamp_of_config = excluded.timestamp_of_config
where (known.peers_seen, known.peers_withdrawn, known.asns_inf, known.time_started, known.time_last, known.withdrawn, known.outdated,
      known.configured_prefix, known.timestamp_of_config)
    is distinct from (excluded.peers_seen, excluded.peers_withdrawn, excluded.asns_inf, excluded.time_started, excluded.time_last,
      excluded.withdrawn, false, excluded.configured_prefix, excluded.timestamp_of_config)
  or not (known.resolved or known.ignored) and (known.time_ended, known.active, known.dormant)
    is distinct from (excluded.time_ended, excluded.active, excluded.dormant)
returning (xmax = 0) as is_new;
