-- A flag set by mistake can be undone: the flag itself set the end, so without it the hijack has none, unless it is withdrawn or outdated. Once a
-- later record of the same hijack exists, that one continues it.
create or replace function routing.set_hijack_flags() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  right_now timestamp := now() at time zone 'UTC';
  later record;
begin
  if length(new.comment) > 10000 then
    raise exception 'the comment of hijack % has % characters; at most 10000 are allowed', new.key, length(new.comment)
      using errcode = 'check_violation';
  end if;
  if new.resolved and new.ignored then
    raise exception 'hijack % cannot be both resolved and ignored; set the other flag to false in the same request', new.key
      using errcode = 'check_violation';
  end if;
  if new.resolved and not old.resolved then
    new.time_ended := coalesce(new.time_ended, right_now);
  elsif old.resolved and not new.resolved and not (new.withdrawn or new.outdated) then
    -- The view, because the engine's role may not read the table.
    select key, time_detected into later from public.view_hijacks other
    where other.prefix = new.prefix and other.hijack_as = new.hijack_as and other.type = new.type
      and other.key <> new.key and other.time_detected > new.time_detected
    order by other.time_detected limit 1;
    if found then
      raise exception 'hijack % cannot become unresolved: hijack % is a later record of it, of %', new.key, later.key, later.time_detected
        using errcode = 'check_violation';
    end if;
    new.time_ended := null;
  end if;
  new.active := not (new.resolved or new.ignored or new.withdrawn or new.outdated);
  if new.active and not old.active and new.time_ended is not null then
    raise exception 'hijack % ended at % and cannot become active again', new.key, new.time_ended
      using errcode = 'check_violation';
  end if;
  new.dormant := new.dormant and new.active;
  if new.under_mitigation and not old.under_mitigation then
    if not new.active then
      raise exception 'hijack % is not active, so it cannot be under mitigation', new.key
        using errcode = 'check_violation';
    end if;
    new.mitigation_started := coalesce(new.mitigation_started, right_now);
  elsif old.active and not new.active then
    new.under_mitigation := false;
  end if;
  return new;
end $$;

-- An audit event also has the end that follows from a flag.
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
    ('comment', to_jsonb(old.comment), to_jsonb(new.comment)),
    ('time_ended', coalesce(to_jsonb(old.time_ended), 'null'), coalesce(to_jsonb(new.time_ended), 'null'))) as flags (flag, was, becomes)
  where was <> becomes;
  insert into auth.audit_events (event, outcome, user_id, address, request_id, detail)
  values ('hijack-changed', 'success', person,
    case when place ~ '^[0-9a-fA-F:.]{2,45}$' then place::inet end,
    left(session ->> 'x-hasura-audit-request-id', 200),
    jsonb_strip_nulls(jsonb_build_object('credential', left(session ->> 'x-hasura-audit-credential', 200)))
      || jsonb_build_object('hijack', new.key, 'role', coalesce(left(session ->> 'x-hasura-role', 200), session_user), 'before', before, 'after', after));
  return null;
end $$;
