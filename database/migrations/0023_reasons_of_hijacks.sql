-- Why a record of view_hijacks exists. The specified view keeps exactly its fields.
create view public.view_hijack_reasons as
select key as hijack_key, rule, first_path, last_path,
  coalesce((
    select json_agg(json_build_object('peer_asn', peer_asn, 'first_seen', first_seen, 'last_seen', last_seen, 'withdrawn_at', withdrawn_at)
      order by first_seen, peer_asn)
    from routing.hijack_peers p where p.hijack_key = h.key
  ), '[]') as peers
from routing.hijacks h;

comment on view public.view_hijack_reasons is 'Why each row of view_hijacks is a hijack.';
comment on column public.view_hijack_reasons.hijack_key is 'view_hijacks.key.';
comment on column public.view_hijack_reasons.rule is
  'Rule that the newest announcement breaks: its place in ARTEMIS''s file, or origins. Null, like the paths, for hijacks of before detection by rules.';
comment on column public.view_hijack_reasons.first_path is 'AS path of the first announcement, from the monitor to the origin.';
comment on column public.view_hijack_reasons.last_path is 'AS path of the newest announcement.';
comment on column public.view_hijack_reasons.peers is
  'Its monitors: a JSON array of {peer_asn, first_seen, last_seen, withdrawn_at} in the order of first_seen.';
