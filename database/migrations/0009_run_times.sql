-- Commands for routing data record their last success too, and every command the seconds that it took.
alter table migrations.finished_runs drop constraint if exists finished_runs_run_check;
alter table migrations.finished_runs add constraint finished_runs_run_check
  check (run in ('backup', 'restore', 'load', 'detect', 'prune'));
alter table migrations.finished_runs add column if not exists seconds real check (seconds >= 0);

-- The loader may record its own commands but no backup.
create or replace function migrations.record_run(run text, seconds real) returns void
language sql security definer set search_path = pg_catalog, pg_temp
begin atomic
  insert into migrations.finished_runs (run, finished_at, seconds)
  select record_run.run, now(), record_run.seconds where record_run.run in ('load', 'detect', 'prune')
  on conflict (run) do update set finished_at = excluded.finished_at, seconds = excluded.seconds;
end;
