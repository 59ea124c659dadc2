-- Readers of the logs learn that the past changed. A backup of an earlier version has no logs, and the migrate job creates them.
do $$ begin
  if to_regprocedure('routing.open_log(text,text)') is not null then
    perform routing.open_log('updates', 'restore'), routing.open_log('hijacks', 'restore');
  end if;
end $$;
