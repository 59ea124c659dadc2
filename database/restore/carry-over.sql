-- After the rows of the backup. Settings: routeql.replaced from remember.sql, and routeql.keep_keys (true or false): whether signing keys of the
-- backup stay valid, unless retired since. Fills restore_report.
create temporary table replaced on commit drop as
  select coalesce(nullif(current_setting('routeql.replaced', true), ''), '{"users": [], "keys": []}')::jsonb as state;
create temporary table replaced_users on commit drop as select found.* from replaced, jsonb_to_recordset(state -> 'users')
  as found (id text, provider text, email text, hash text, role text, disabled boolean, updated timestamptz);
create temporary table replaced_keys on commit drop as select found.* from replaced, jsonb_to_recordset(state -> 'keys')
  as found (id text, retired boolean);
create temporary table restore_report (kind text, what text);
with kept as (
  update auth.users now set password_hash = was.hash, updated_at = was.updated from replaced_users was
  where now.id = was.id and was.hash <> now.password_hash and was.updated > now.updated_at returning now.email)
insert into restore_report select 'password', email from kept;
with kept as (
  update auth.users now set disabled = true from replaced_users was
  where now.provider = was.provider and lower(now.email) = was.email and was.disabled and not now.disabled returning now.id, now.email),
audited as (
  insert into auth.audit_events (event, outcome, user_id, detail) select 'user-disabled', 'success', id, '{"by": "restore"}' from kept)
insert into restore_report select 'disabled', email from kept;
with withdrawn as (
  update auth.signing_keys now set retires_at = least(retires_at, now()), retired_at = now(), private_key_encrypted = ''
  where retired_at is null and (not current_setting('routeql.keep_keys')::boolean
    or exists (select from replaced_keys was where was.id = now.id and was.retired)) returning id),
audited as (
  insert into auth.audit_events (event, outcome, detail)
  select 'key-retired', 'success', jsonb_build_object('kid', id, 'by', 'restore') from withdrawn)
insert into restore_report select 'key', id from withdrawn;
insert into restore_report
select 'key', id from replaced_keys was where not retired and not exists (select from auth.signing_keys now where now.id = was.id)
union all
select 'role', format('%s (%s, was %s)', now.email, now.role, was.role) from auth.users now join replaced_users was using (id) where now.role <> was.role
union all
select case provider when 'local' then 'revived' else 'revived-directory' end, email from auth.users now
where exists (select from replaced_users) and not exists (select from replaced_users was where was.provider = now.provider and was.email = lower(now.email))
union all
select 'lost', email from replaced_users was
where not exists (select from auth.users now where now.provider = was.provider and lower(now.email) = was.email);
