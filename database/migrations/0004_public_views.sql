-- The only data that the engine reads. The views run with their owner's rights; a role that may only select from them
-- cannot reach the tables, nor write through the views.
create view public.view_bgpupdates as
select prefix, origin_as, peer_asn, as_path, service, type, communities, "timestamp", hijack_key, handled, matched_prefix,
  orig_path
from routing.bgp_updates;

create view public.view_hijacks as
select active, comment, configured_prefix, hijack_as, ignored, dormant, key, mitigation_started, num_asns_inf, num_peers_seen,
  outdated, peers_seen, peers_withdrawn, prefix, resolved, seen, time_detected, time_ended, time_last, time_started,
  timestamp_of_config, type, under_mitigation, withdrawn, community_annotation, rpki_status
from routing.hijacks;

create view public.view_bgpupdates_hijacks as
select hijack_key, "timestamp", prefix, peer_asn, type, as_path, service
from routing.update_links;

create view public.view_configured_prefixes as
select prefix, origins, organisation
from routing.configured_prefixes;
