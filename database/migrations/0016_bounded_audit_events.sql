-- A long text as its start, length and hash.
create function routing.brief(value jsonb) returns jsonb
language sql immutable as $$
  select case when jsonb_typeof(value) = 'string' and length(value #>> '{}') > 200
    then jsonb_build_object('start', left(value #>> '{}', 200), 'length', length(value #>> '{}'),
      'sha256', encode(sha256(convert_to(value #>> '{}', 'UTF8')), 'hex'))
    else value end
$$;

-- An audit event keeps the start of a long text with its length and hash, names the credential, address and request of a change, and an
-- account changes at most 10,000 hijacks in an hour: before, one account could fill the disk through the audit trail.
create or replace function routing.record_hijack_flags() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  most constant integer := 10000;
  session jsonb := nullif(current_setting('hasura.user', true), '')::jsonb;
  person text := left(session ->> 'x-hasura-user-id', 200);
  -- Changes of the account within an hour, counted once in a transaction and continued there.
  changes integer := nullif(current_setting('routeql.changes', true), '')::integer;
  place text := session ->> 'x-hasura-audit-address';
  before jsonb;
  after jsonb;
begin
  if person is not null then
    if changes is null then
      select count(*) into changes from auth.audit_events
      where user_id = person and event = 'hijack-changed' and occurred_at > now() - interval '1 hour';
    end if;
    if changes >= most then
      raise exception 'the account changed % hijacks within an hour, which is the most; change fewer at once, or continue later', most
        using errcode = 'check_violation';
    end if;
    perform set_config('routeql.changes', (changes + 1)::text, true);
  end if;
  select jsonb_object_agg(flag, routing.brief(was)), jsonb_object_agg(flag, routing.brief(becomes)) into before, after
  from (values ('resolved', to_jsonb(old.resolved), to_jsonb(new.resolved)), ('ignored', to_jsonb(old.ignored), to_jsonb(new.ignored)),
    ('seen', to_jsonb(old.seen), to_jsonb(new.seen)),
    ('under_mitigation', to_jsonb(old.under_mitigation), to_jsonb(new.under_mitigation)),
    ('comment', to_jsonb(old.comment), to_jsonb(new.comment))) as flags (flag, was, becomes)
  where was <> becomes;
  insert into auth.audit_events (event, outcome, user_id, address, request_id, detail)
  values ('hijack-changed', 'success', person,
    case when place ~ '^[0-9a-fA-F:.]{2,45}$' then place::inet end,
    left(session ->> 'x-hasura-audit-request-id', 200),
    jsonb_strip_nulls(jsonb_build_object('credential', left(session ->> 'x-hasura-audit-credential', 200)))
      || jsonb_build_object('hijack', new.key, 'role', coalesce(left(session ->> 'x-hasura-role', 200), session_user), 'before', before, 'after', after));
  return null;
end $$;
