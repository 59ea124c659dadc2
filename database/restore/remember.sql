-- Before the replaced data is deleted: its accounts and keys, for carry-over.sql. A setting survives the deletion, a temporary table would not.
do $$ begin
  if to_regclass('auth.users') is not null and to_regclass('auth.signing_keys') is not null then
    perform set_config('routeql.replaced', jsonb_build_object(
      'users', (select coalesce(jsonb_agg(jsonb_build_object('id', id, 'provider', provider, 'email', lower(email),
        'hash', password_hash, 'role', role, 'disabled', disabled, 'updated', updated_at)), '[]') from auth.users),
      'keys', (select coalesce(jsonb_agg(jsonb_build_object('id', id, 'retired', retired_at is not null)), '[]') from auth.signing_keys)
    )::text, true);
  end if;
end $$;
