-- Figures of each hijack. A monitor has withdrawn when its next update of the prefix, a withdrawal or another route
-- (RFC 4271 section 3.1: it replaces the previous one), comes after its last hijacked one.
create temporary table measured_hijacks on commit drop as
with announcements as (
  select * from judged_updates where hijack is not null
), sessions as (
  select hijack, prefix, service, peer_asn, max("timestamp") as last_seen
  from announcements where peer_asn is not null group by hijack, prefix, service, peer_asn
), ends as (
  select s.hijack, s.peer_asn, min(u."timestamp") as withdrawn_at
  from sessions s left join judged_updates u
    on u.prefix = s.prefix and u.service = s.service and u.peer_asn = s.peer_asn and u."timestamp" > s.last_seen
  group by s.hijack, s.service, s.peer_asn
), peers as (
  -- a peer at several collectors has withdrawn when all its sessions have
  select hijack, peer_asn, case when bool_and(withdrawn_at is not null) then max(withdrawn_at) end as withdrawn_at
  from ends group by hijack, peer_asn
), peer_figures as (
  select hijack, array_agg(peer_asn order by peer_asn) as peers_seen,
    coalesce(array_agg(peer_asn order by peer_asn) filter (where withdrawn_at is not null), '{}') as peers_withdrawn,
    -- the time at which 80 % had withdrawn; null, as the largest value, if they have not
    (array_agg(withdrawn_at order by withdrawn_at nulls last))[ceil(count(*) * 0.8)::integer] as withdrawn_at
  from peers group by hijack
), infected as (
  select hijack, array_agg(distinct asn order by asn) as asns_inf
  from announcements, unnest(as_path) asn where asn <> origin_as group by hijack
)
select a.hijack as key, a.hijack_type as type, a.prefix, a.origin_as as hijack_as, a.configured_prefix, a.configured_at,
  min(a."timestamp") as time_started,
  -- late repetitions are linked, but the record's last announcement is the one within its own time
  max(a."timestamp") filter (where p.withdrawn_at is null or a."timestamp" <= p.withdrawn_at) as time_last,
  coalesce(p.peers_seen, '{}') as peers_seen, coalesce(p.peers_withdrawn, '{}') as peers_withdrawn, p.withdrawn_at,
  coalesce(i.asns_inf, '{}') as asns_inf
from announcements a left join peer_figures p using (hijack) left join infected i using (hijack)
group by a.hijack, a.hijack_type, a.prefix, a.origin_as, a.configured_prefix, a.configured_at, p.peers_seen, p.peers_withdrawn,
  p.withdrawn_at, i.asns_inf;
