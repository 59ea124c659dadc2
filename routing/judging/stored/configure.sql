-- $1 prefixes, $2 origins as the text of an array each, $3 organisations, $4 rules, $5 peers; existing equal prefixes stay unchanged.
insert into routing.configured_prefixes as known (prefix, origins, organisation, rules, min_peers)
select prefix, origins::bigint[], organisation, rules::jsonb, min_peers
from unnest($1::inet[], $2::text[], $3::text[], $4::text[], $5::integer[]) wanted (prefix, origins, organisation, rules, min_peers)
on conflict (prefix) do update
set origins = excluded.origins, organisation = excluded.organisation, rules = excluded.rules,
  min_peers = excluded.min_peers, configured_at = now() at time zone 'UTC'
where (known.origins, known.organisation, known.rules, known.min_peers)
  is distinct from (excluded.origins, excluded.organisation, excluded.rules, excluded.min_peers)
returning (xmax = 0) as is_new;
