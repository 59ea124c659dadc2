-- Changes of one account take turns: before, transactions at the same time did not see each other's audit events, and each could reach the most
-- changes of an hour. The lock comes before those of the rows, so that two changes cannot wait for each other.
create function routing.take_turn_of_account() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  person text := left(nullif(current_setting('hasura.user', true), '')::jsonb ->> 'x-hasura-user-id', 200);
begin
  if person is not null then perform pg_advisory_xact_lock(18501, hashtext(person)); end if;
  return null;
end $$;
create trigger turn_taken before update on public.view_hijacks for each statement execute function routing.take_turn_of_account();
