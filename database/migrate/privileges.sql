-- Every privilege on the database's schemas, tables, columns and functions, including defaults, as one comparable text.
with own as (
  select oid, nspname, nspacl, nspowner from pg_namespace where nspname = 'public' or pg_get_userbyid(nspowner) = current_user),
entry (what, acl) as (
  select nspname::text, coalesce(nspacl, acldefault('n', nspowner)) from own
  union all
  select c.oid::regclass::text, coalesce(relacl, acldefault(case relkind when 'S' then 's' else 'r' end::"char", relowner))
    from pg_class c join own on own.oid = relnamespace where relkind in ('r', 'p', 'v', 'm', 'S', 'f')
  union all select attrelid::regclass::text || '.' || attname, attacl
    from pg_attribute join pg_class c on c.oid = attrelid join own on own.oid = relnamespace where attacl is not null
  union all select p.oid::regprocedure::text, coalesce(proacl, acldefault('f', proowner))
    from pg_proc p join own on own.oid = pronamespace
  union all select 'default ' || defaclobjtype::text || defaclnamespace::text, defaclacl from pg_default_acl)
select string_agg(what || ' ' || item::text, e'\n' order by what, item::text) as privileges
from entry cross join lateral unnest(acl) item
