-- Records that the configuration no longer considers a hijack, and those of removed prefixes ($1).
update routing.hijacks h set outdated = true, active = false, dormant = false
where not h.outdated and (
  h.configured_prefix = any ($1::inet[])
    and not exists (select from routing.configured_prefixes c where c.prefix >>= h.prefix)
  or exists (
    select from lateral (
      select * from routing.configured_prefixes c where c.prefix >>= h.prefix order by masklen(c.prefix) desc limit 1
    ) best
    where h.type in ('E|0|-|-', 'S|0|-|-', 'Q|0|-|-')
      and (h.hijack_as = any (best.origins)
        or h.type <> case when best.origins = '{}' then 'Q|0|-|-' when h.prefix = best.prefix then 'E|0|-|-' else 'S|0|-|-' end)
  )
);
