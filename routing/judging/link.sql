-- Marks every update within a configured prefix, and adds the hijack key to hijacked announcements and to
-- the withdrawals that end them. An update keeps a key once it has one.
with belonging as (
  select *, coalesce(hijack, case when type = 'W' then
    lag(hijack) over (partition by prefix, service, peer_asn order by "timestamp", type, hijack, key) end) as belongs_to
  from judged_updates
), alike as (
  -- two sessions of one peer may send the same update at the same time: indistinguishable updates get the same hijack
  select *, max(belongs_to) over (partition by "timestamp", prefix, peer_asn, type, as_path, service) as shared
  from belonging
), wanted as (
  select "timestamp", key, configured_prefix,
    case when shared is null or shared = any (hijack_key) then hijack_key else hijack_key || shared end as hijack_key
  from alike
)
update routing.bgp_updates u set hijack_key = w.hijack_key, handled = true, matched_prefix = w.configured_prefix
from wanted w
where u."timestamp" = w."timestamp" and u.key = w.key
  and (u.hijack_key, u.handled, u.matched_prefix) is distinct from (w.hijack_key, true, w.configured_prefix);
