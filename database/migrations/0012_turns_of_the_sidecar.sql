-- The sidecar may take its own two locks and no other. Before, it could take any advisory lock and so stop every load.
create or replace function auth.take_turn(turn bigint) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if turn not in (7201001, 7201003) then
    raise exception 'auth.take_turn takes the locks of the auth sidecar' using errcode = 'invalid_parameter_value';
  end if;
  perform pg_advisory_xact_lock(turn);
end $$;
