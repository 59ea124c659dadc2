-- $1 prefixes, $2 origins as the text of an array each, $3 organisations, $4 rules; existing equal prefixes stay unchanged.
insert into routing.configured_prefixes as known (prefix, origins, organisation, rules)
select prefix, origins::bigint[], organisation, rules::jsonb
from unnest($1::inet[], $2::text[], $3::text[], $4::text[]) wanted (prefix, origins, organisation, rules)
on conflict (prefix) do update
set origins = excluded.origins, organisation = excluded.organisation, rules = excluded.rules, configured_at = now() at time zone 'UTC'
where (known.origins, known.organisation, known.rules) is distinct from (excluded.origins, excluded.organisation, excluded.rules)
returning (xmax = 0) as is_new;
