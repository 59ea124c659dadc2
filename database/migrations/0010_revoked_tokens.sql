-- Accounts whose earlier tokens are no longer accepted. The sidecar publishes them beside its keys.
create table auth.revoked_tokens (
  account_id text primary key,
  issued_before timestamptz not null
);

-- Runs at the end of the transaction: until then another session reads the old role and may sign it. Three seconds cover the commit, the
-- whole seconds of a token's iat, and clocks that differ. An entry is needed as long as the longest token lives, one hour.
create function auth.revoke_tokens() returns trigger
  language plpgsql security definer set search_path = pg_catalog as $$
begin
  insert into auth.revoked_tokens (account_id, issued_before)
    values (old.id, date_trunc('second', clock_timestamp()) + interval '3 s')
    on conflict (account_id) do update set issued_before = excluded.issued_before;
  delete from auth.revoked_tokens where account_id in (
    select account_id from auth.revoked_tokens where issued_before < clock_timestamp() - interval '2 h' for update skip locked);
  return null;
end
$$;

create constraint trigger users_lose_rights after update on auth.users
  deferrable initially deferred for each row
  when (old.id <> new.id or old.role <> new.role or old.organisation_id is distinct from new.organisation_id or new.disabled > old.disabled)
  execute function auth.revoke_tokens();
create constraint trigger users_are_deleted after delete on auth.users
  deferrable initially deferred for each row execute function auth.revoke_tokens();
