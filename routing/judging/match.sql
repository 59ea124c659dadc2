-- Every prefix with updates within a configured prefix.
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
select prefix from announced;
analyze matched_prefixes;
