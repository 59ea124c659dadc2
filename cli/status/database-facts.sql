-- The states of keys are those of `npm run keys -- list`. Retired keys are left out.
with keys as (
  select signs_from, retires_at,
    case
      when signs_from > now() then 'next'
      when signs_from = max(signs_from) filter (where signs_from <= now()) over () then 'signing'
      else 'verifying'
    end as state
  from auth.signing_keys
  where retired_at is null and (retires_at is null or retires_at > now())
)
select
  current_setting('server_version') as version,
  array(select name from migrations.schema_migrations order by name) as migrations,
  coalesce((select jsonb_agg(jsonb_build_object('state', state, 'since', signs_from, 'retiresAt', retires_at) order by signs_from) from keys), '[]') as keys,
  (select max("timestamp") at time zone 'UTC' from routing.bgp_updates) as newest_update,
  (select max(time_last) at time zone 'UTC' from routing.hijacks) as newest_hijack,
  pg_database_size(current_database())::float8 as bytes,
  now() as clock,
  -- The value of a new session: this one is read-only by its own wish.
  (select reset_val = 'on' from pg_settings where name = 'default_transaction_read_only') as read_only,
  pg_is_in_recovery() as standby,
  (select max(latest) from (values
    ((select occurred_at from auth.audit_events order by id desc limit 1)),
    ((select max(created_at) from auth.signing_keys))) as moments (latest)) as newest_record,
  -- Parallel workers take none of the connections. The types of other roles are hidden, so theirs count.
  (select jsonb_build_object('used', count(*), 'most', current_setting('max_connections')::int
      - current_setting('superuser_reserved_connections')::int - current_setting('reserved_connections')::int)
    from pg_stat_activity where datid is not null and usesysid is not null and coalesce(backend_type, 'client backend') = 'client backend') as connections,
  (select jsonb_build_object('failed', failed_count, 'failsSince',
    case when last_failed_time > coalesce(last_archived_time, '-infinity') then to_char(last_failed_time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') end)
    from pg_stat_archiver) as archiver
