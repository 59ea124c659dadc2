-- Identity of an update. Two monitors of one AS at one collector, and times in whole seconds, cause real repetitions. The n-th repetition
-- inside one file has its own key, so that no update is lost and loading the same file again adds nothing.
create function routing.update_identity(
  "timestamp" timestamp, prefix inet, peer_asn bigint, type text, as_path bigint[], service text
) returns uuid language sql stable as $$
  select md5(extract(epoch from "timestamp")::text || '|' || prefix::text || '|' || coalesce(peer_asn::text, '') || '|' || type
    || '|' || array_to_string(as_path, ' ') || '|' || service)::uuid
$$;

create function routing.update_key(identity uuid, repetition bigint) returns uuid language sql immutable as $$
  select case when repetition = 0 then identity else md5(identity::text || '#' || repetition::text)::uuid end
$$;

-- Creates one partition for each day from first to last; existing ones stay unchanged. Returns the number of created partitions.
create function routing.ensure_partitions(first timestamp, last timestamp) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  day date := first::date;
  name text;
  made integer := 0;
begin
  if day is null or last is null or last < first or last::date - day > 366 then
    raise exception 'ensure_partitions takes a range of at most 366 days' using errcode = 'invalid_parameter_value';
  end if;
  if first < '1990-01-01' or last >= '2100-01-01' then
    raise exception 'ensure_partitions takes days from 1990 to 2099' using errcode = 'invalid_parameter_value';
  end if;
  perform pg_advisory_xact_lock(7241865325823965);
  while day <= last::date loop
    name := 'bgp_updates_' || to_char(day, 'YYYYMMDD');
    if to_regclass('routing.' || name) is null then
      -- Made beside the table and then attached: readers and writers of the other days need not wait.
      execute format('create table routing.%I (like routing.bgp_updates including all)', name);
      execute format(
        'alter table routing.bgp_updates attach partition routing.%I for values from (%L) to (%L)', name, day, day + 1);
      made := made + 1;
    end if;
    day := day + 1;
  end loop;
  return made;
end $$;

-- Autovacuum does not analyse a partitioned table as a whole, but the planner needs its statistics after a load.
create function routing.analyse_updates() returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  analyze routing.bgp_updates;
end $$;

create function routing.maintain_update_links() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  old_identity uuid;
begin
  if tg_op <> 'INSERT' then
    old_identity := routing.update_identity(old."timestamp", old.prefix, old.peer_asn, old.type, old.as_path, old.service);
    delete from routing.update_links link
    where link.hijack_key = any (old.hijack_key)
      and (tg_op = 'DELETE' or link.hijack_key <> all (new.hijack_key))
      and link."timestamp" = old."timestamp" and link.identity = old_identity
      and not exists (
        -- a repetition of the update that still belongs to the hijack
        select from routing.bgp_updates other
        where other."timestamp" = link."timestamp" and other.prefix = link.prefix and link.hijack_key = any (other.hijack_key)
          and other.peer_asn is not distinct from link.peer_asn and other.type = link.type
          and other.as_path = link.as_path and other.service = link.service);
  end if;
  if tg_op <> 'DELETE' then
    insert into routing.update_links (hijack_key, "timestamp", identity, prefix, peer_asn, type, as_path, service)
    select distinct key, new."timestamp",
      routing.update_identity(new."timestamp", new.prefix, new.peer_asn, new.type, new.as_path, new.service),
      new.prefix, new.peer_asn, new.type, new.as_path, new.service
    from unnest(new.hijack_key) key
    on conflict do nothing;
  end if;
  return null;
end $$;

create trigger link_inserted after insert on routing.bgp_updates
  for each row when (new.hijack_key <> '{}') execute function routing.maintain_update_links();
create trigger link_updated after update of hijack_key on routing.bgp_updates
  for each row when (old.hijack_key is distinct from new.hijack_key) execute function routing.maintain_update_links();
create trigger link_deleted after delete on routing.bgp_updates
  for each row when (old.hijack_key <> '{}') execute function routing.maintain_update_links();

-- The configuration of detection may contain an organisation without users; an existing one keeps its name unless a new name is given.
create function routing.ensure_organisation(id text, name text) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  changed integer;
begin
  insert into auth.organisations as existing (id, name)
  values (ensure_organisation.id, coalesce(ensure_organisation.name, ensure_organisation.id))
  on conflict on constraint organisations_pkey do update set name = ensure_organisation.name
  where ensure_organisation.name is not null and existing.name <> ensure_organisation.name;
  get diagnostics changed = row_count;
  return changed > 0;
end $$;
