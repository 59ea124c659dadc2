-- Marks every update within a configured prefix, and names its hijack in those that belong to one: hijacked announcements, and
-- the withdrawals that end them. A name that an update once got stays with it.
with belonging as (
  select *, coalesce(hijack, case when type = 'W' then
    lag(hijack) over (partition by prefix, service, peer_asn order by "timestamp", type, hijack, key) end) as belongs_to
  from judged_updates
), alike as (
  -- two sessions of one peer can say the same in the same moment: what cannot be told apart has the same hijack
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
