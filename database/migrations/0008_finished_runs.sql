-- When a command last finished with success, for `npm run status` and for the alert on old backups. A restore brings back the times of its
-- backup, and then records itself.
create table if not exists migrations.finished_runs (
  run text primary key check (run in ('backup', 'restore')),
  finished_at timestamptz not null,
  bytes bigint check (bytes >= 0)
);
