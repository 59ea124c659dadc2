-- Descriptions of everything that the engine serves. They appear in introspection, in the console, in generated types and in
-- docs/reference/data-dictionary.md. A view or column without one fails a test.
comment on view public.view_bgpupdates is
  'BGP updates (RFC 4271) that route collectors recorded, one row per update and prefix.';
comment on column public.view_bgpupdates.prefix is
  'IP prefix that the update announces or withdraws, in CIDR notation.';
comment on column public.view_bgpupdates.origin_as is
  'AS number (RFC 6793) that originates the prefix: the last AS of the path. -1 when the path is empty, as in every withdrawal.';
comment on column public.view_bgpupdates.peer_asn is
  'AS number of the monitor: the BGP peer of the collector. Null when the source does not name it.';
comment on column public.view_bgpupdates.as_path is
  'AS path from the monitor to the origin. Empty in withdrawals. AS sets are expanded to one row for each choice of members.';
comment on column public.view_bgpupdates.service is
  'Source and collector of the update, separated by a bar, such as ripe-ris|rrc03.';
comment on column public.view_bgpupdates.type is
  'Kind of the update: A for announcement, W for withdrawal.';
comment on column public.view_bgpupdates.communities is
  'BGP communities (RFC 1997) as a JSON array of pairs [AS number, value], such as [[6453,2000]].';
comment on column public.view_bgpupdates."timestamp" is
  'Time at which the collector received the update, in UTC without a zone, with microseconds.';
comment on column public.view_bgpupdates.hijack_key is
  'Keys of the hijacks that the update belongs to (view_hijacks.key). Empty when it belongs to none.';
comment on column public.view_bgpupdates.handled is
  'True once the detection has compared the update with the configured prefixes.';
comment on column public.view_bgpupdates.matched_prefix is
  'Most specific configured prefix that contains the prefix of the update. Null when there is none.';
comment on column public.view_bgpupdates.orig_path is
  'AS path as announced, with AS sets as nested JSON arrays. Null when the path has no AS set.';

comment on view public.view_hijacks is
  'Hijacks: announcements of configured prefixes by AS numbers that the configuration does not allow. One row per prefix, origin and type.';
comment on column public.view_hijacks.key is
  'Identifier of the hijack: 32 hexadecimal digits. view_bgpupdates.hijack_key refers to it.';
comment on column public.view_hijacks.type is
  'Four fields separated by bars: prefix|path|data plane|policy. Prefix: E exact prefix, S sub-prefix, Q squatting (a prefix that no AS may announce). Path: 0 wrong origin, 1 wrong first hop, P wrong policy. Policy: L route leak. A dash means that the field does not apply. E|0|-|- is the exact prefix with a wrong origin.';
comment on column public.view_hijacks.prefix is
  'IP prefix that was announced, in CIDR notation.';
comment on column public.view_hijacks.hijack_as is
  'AS number that announced the prefix without permission. -1 when it is unknown.';
comment on column public.view_hijacks.configured_prefix is
  'Configured prefix that contains the announced one.';
comment on column public.view_hijacks.timestamp_of_config is
  'Time at which the configuration of that prefix was stored, in UTC.';
comment on column public.view_hijacks.active is
  'True while the hijack is neither resolved, ignored, withdrawn nor outdated.';
comment on column public.view_hijacks.dormant is
  'True for an active hijack without an update in the last 24 hours.';
comment on column public.view_hijacks.resolved is
  'True once an operator marked the hijack as resolved. Excludes ignored.';
comment on column public.view_hijacks.ignored is
  'True once an operator marked the hijack as a false alarm. Excludes resolved. The role viewer does not see such hijacks.';
comment on column public.view_hijacks.withdrawn is
  'True once 80 percent of the monitors that saw the announcement withdrew it.';
comment on column public.view_hijacks.outdated is
  'True once a changed configuration no longer counts the announcement as a hijack.';
comment on column public.view_hijacks.seen is
  'True once an operator looked at the hijack.';
comment on column public.view_hijacks.under_mitigation is
  'True while an operator works against the hijack.';
comment on column public.view_hijacks.mitigation_started is
  'Time at which the mitigation started, in UTC. Null before.';
comment on column public.view_hijacks.time_started is
  'Time of the first update of the hijack, in UTC.';
comment on column public.view_hijacks.time_last is
  'Time of the latest update of the hijack, in UTC.';
comment on column public.view_hijacks.time_ended is
  'Time at which the hijack ended, in UTC. Null while it lasts.';
comment on column public.view_hijacks.time_detected is
  'Time at which the detection recorded the hijack, in UTC.';
comment on column public.view_hijacks.num_peers_seen is
  'Number of monitors that saw the hijack.';
comment on column public.view_hijacks.peers_seen is
  'AS numbers of the monitors that saw the hijack.';
comment on column public.view_hijacks.peers_withdrawn is
  'AS numbers of the monitors whose route to the hijacked prefix was withdrawn.';
comment on column public.view_hijacks.num_asns_inf is
  'Number of ASes whose paths lead to the hijacker (infected ASes).';
comment on column public.view_hijacks.comment is
  'Free text of the operators.';
comment on column public.view_hijacks.community_annotation is
  'Free text that rates the hijack, such as critical. NA when there is none.';
comment on column public.view_hijacks.rpki_status is
  'Result of the origin validation (RFC 6811): VD valid, IA invalid AS number, IL invalid prefix length, IU invalid for an unknown reason, NF not found, NA not checked.';

comment on view public.view_bgpupdates_hijacks is
  'Links between updates and hijacks, one row per pair. It connects both views in both directions.';
comment on column public.view_bgpupdates_hijacks.hijack_key is
  'Key of the hijack (view_hijacks.key).';
comment on column public.view_bgpupdates_hijacks."timestamp" is
  'Time of the update, in UTC (view_bgpupdates.timestamp).';
comment on column public.view_bgpupdates_hijacks.prefix is
  'IP prefix of the update.';
comment on column public.view_bgpupdates_hijacks.peer_asn is
  'AS number of the monitor of the update. Null when the source does not name it.';
comment on column public.view_bgpupdates_hijacks.type is
  'Kind of the update: A for announcement, W for withdrawal.';
comment on column public.view_bgpupdates_hijacks.as_path is
  'AS path of the update.';
comment on column public.view_bgpupdates_hijacks.service is
  'Source and collector of the update.';

comment on view public.view_configured_prefixes is
  'Prefixes that the operator configured, with their legitimate origins. Filters of the role tenant use it; no role reads it directly.';
comment on column public.view_configured_prefixes.prefix is
  'Configured IP prefix.';
comment on column public.view_configured_prefixes.origins is
  'AS numbers that may originate the prefix. Empty when no AS may.';
comment on column public.view_configured_prefixes.organisation is
  'Organisation that owns the prefix. Null when it belongs to none.';
