-- $1 prefixes, $2 origins as the text of an array each, $3 organisations; existing prefixes stay unchanged.
insert into routing.configured_prefixes as known (prefix, origins, organisation)
select prefix, origins::bigint[], organisation
from unnest($1::inet[], $2::text[], $3::text[]) wanted (prefix, origins, organisation)
on conflict (prefix) do update
set origins = excluded.origins, organisation = excluded.organisation, configured_at = now() at time zone 'UTC'
where (known.origins, known.organisation) is distinct from (excluded.origins, excluded.organisation)
returning (xmax = 0) as is_new;
