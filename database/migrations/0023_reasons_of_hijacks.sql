-- Why a record of view_hijacks exists. The specified view keeps exactly its fields.
create view public.view_hijack_reasons as
select key as hijack_key, rule, first_path, last_path,
  coalesce((
    select json_agg(json_build_object('peer_asn', peer_asn, 'first_seen', first_seen, 'last_seen', last_seen, 'withdrawn_at', withdrawn_at)
      order by first_seen, peer_asn)
    from routing.hijack_peers p where p.hijack_key = h.key
  ), '[]') as peers
from routing.hijacks h;

comment on view public.view_hijack_reasons is
  'Why each row of view_hijacks is a hijack: the rule, the paths, and the monitors with their times.';
comment on column public.view_hijack_reasons.hijack_key is 'The hijack: view_hijacks.key.';
comment on column public.view_hijack_reasons.rule is
  'Rule of the configuration that the newest announcement breaks: its place in ARTEMIS''s file, or origins. Null for a hijack of before detection by rules.';
comment on column public.view_hijack_reasons.first_path is
  'AS path of the first announcement of the hijack, from the monitor to the origin. Null as for rule.';
comment on column public.view_hijack_reasons.last_path is 'AS path of the newest announcement of the hijack. Null as for rule.';
comment on column public.view_hijack_reasons.peers is
  'The monitors that saw the hijack, as a JSON array of {peer_asn, first_seen, last_seen, withdrawn_at} in the order of first_seen. withdrawn_at is null while the monitor has the hijack.';
