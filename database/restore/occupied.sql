-- Data of RouteQL that a restore would delete. The first administrator of a new stack does not count.
select coalesce(string_agg(what, ', '), '') from (
  select 'routing updates' as what where exists (select from routing.bgp_updates)
  union all select 'hijacks' where exists (select from routing.hijacks)
  union all select 'configured prefixes' where exists (select from routing.configured_prefixes)
  union all select 'accounts' where (select count(*) from auth.users) > 1) found
