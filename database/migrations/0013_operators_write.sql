-- Operators set five columns of a hijack through the API. GraphQL engines offer `by_pk` fields only for tables with a primary key, which a view
-- cannot have. So view_hijacks becomes the parent of routing.hijacks by inheritance: the specified columns, a key, and no rows of its own.
-- Postgres checks privileges on the parent alone, so the engine's role still cannot reach routing.hijacks.
create table public.view_hijacks_parent as select * from public.view_hijacks with no data;
alter table public.view_hijacks_parent add primary key (key), add constraint rows_are_in_routing_hijacks check (false) no inherit;
do $$ declare text record; begin
  for text in
    select objsubid, description, attname from pg_description
    left join pg_attribute on attrelid = objoid and attnum = objsubid and objsubid > 0
    where objoid = 'public.view_hijacks'::regclass and classoid = 'pg_class'::regclass
  loop
    if text.objsubid = 0 then execute format('comment on table public.view_hijacks_parent is %L', text.description);
    else execute format('comment on column public.view_hijacks_parent.%I is %L', text.attname, text.description);
    end if;
  end loop;
  drop view public.view_hijacks;
  alter table public.view_hijacks_parent rename to view_hijacks;
  alter index public.view_hijacks_parent_pkey rename to view_hijacks_pkey;
  alter table routing.hijacks inherit public.view_hijacks;
  -- Running engines read it before the job sets all privileges.
  if to_regrole('routeql_engine') is not null then grant select on public.view_hijacks to routeql_engine; end if;
end $$;

-- The states that follow from the flags. A contradiction is an error, whoever writes.
create function routing.set_hijack_flags() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  right_now timestamp := now() at time zone 'UTC';
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

-- One audit event for each changed hijack, in the transaction of the change. Engines set hasura.user to the session variables.
create function routing.record_hijack_flags() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  session jsonb := nullif(current_setting('hasura.user', true), '')::jsonb;
  flags text[] := '{resolved,ignored,seen,under_mitigation,comment}';
  before jsonb;
  after jsonb;
begin
  select jsonb_object_agg(o.key, o.value), jsonb_object_agg(o.key, n.value) into before, after
  from jsonb_each(to_jsonb(old)) o join jsonb_each(to_jsonb(new)) n using (key)
  where o.key = any (flags) and o.value <> n.value;
  insert into auth.audit_events (event, outcome, user_id, detail)
  values ('hijack-changed', 'success', session ->> 'x-hasura-user-id', jsonb_build_object(
    'hijack', new.key, 'role', coalesce(session ->> 'x-hasura-role', session_user), 'before', before, 'after', after));
  return null;
end $$;

create trigger flags_set before update of resolved, ignored, seen, under_mitigation, comment on routing.hijacks
  for each row execute function routing.set_hijack_flags();
create trigger flags_recorded after update of resolved, ignored, seen, under_mitigation, comment on routing.hijacks
  for each row when ((old.resolved, old.ignored, old.seen, old.under_mitigation, old.comment)
    is distinct from (new.resolved, new.ignored, new.seen, new.under_mitigation, new.comment))
  execute function routing.record_hijack_flags();

-- Detection calls it after new records: autovacuum does not analyse a parent with its children.
create function routing.analyse_hijacks() returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  analyze public.view_hijacks;
end $$;
