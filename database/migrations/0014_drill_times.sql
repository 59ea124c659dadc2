-- The restore drill of the archive records its last success.
alter table migrations.finished_runs drop constraint if exists finished_runs_run_check;
alter table migrations.finished_runs add constraint finished_runs_run_check
  check (run in ('backup', 'restore', 'load', 'detect', 'prune', 'drill'));
