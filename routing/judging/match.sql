-- Every update within a configured prefix, with the most specific configured prefix that contains it.
create temporary table matched_prefixes on commit drop as
with recursive roots as (
  -- prefixes that no other configured prefix contains: their ranges do not overlap. In inet order, a prefix and everything within it are one
  -- range of the index.
  select prefix, set_masklen(broadcast(prefix), case family(prefix) when 4 then 32 else 128 end) as last
  from routing.configured_prefixes own
  where not exists (select from routing.configured_prefixes wider where wider.prefix >> own.prefix)
), announced as (
  -- One look into the index for each different prefix. The planner cannot estimate a join on the ranges, and has compared every update with
  -- every root.
  select found.prefix, roots.last
  from roots, lateral (
    select u.prefix from routing.bgp_updates u where u.prefix between roots.prefix and roots.last order by u.prefix limit 1
  ) found
  union all
  select found.prefix, announced.last
  from announced, lateral (
    select u.prefix from routing.bgp_updates u where u.prefix > announced.prefix and u.prefix <= announced.last order by u.prefix limit 1
  ) found
)
select announced.prefix, best.prefix as configured_prefix, best.origins, best.configured_at
from announced, lateral (
  select * from routing.configured_prefixes c where c.prefix >>= announced.prefix order by masklen(c.prefix) desc limit 1
) best;
analyze matched_prefixes;

-- An announcement with an illegitimate origin is a hijack; a path without an origin is not.
create temporary table judged_updates on commit drop as
select u."timestamp", u.key, u.prefix, u.peer_asn, u.service, u.type, u.as_path, u.origin_as, u.hijack_key, u.handled,
  u.matched_prefix, m.configured_prefix, m.configured_at, verdict.type as hijack_type,
  md5(u.prefix::text || '|' || u.origin_as || '|' || verdict.type) as hijack
from matched_prefixes m join routing.bgp_updates u on u.prefix = m.prefix
left join lateral (
  select case when m.origins = '{}' then 'Q|0|-|-' when u.prefix = m.configured_prefix then 'E|0|-|-' else 'S|0|-|-' end as type
  where u.type = 'A' and u.origin_as <> -1 and u.origin_as <> all (m.origins)
) verdict on true;
analyze judged_updates;
