#!/bin/bash
# Continuous archive of the database with pgBackRest (PGBACKREST_* variables): `push` is Postgres' archive_command; `schedule` is the
# service `archive`; `restore` and `drill` are called by `npm run restore`.
set -euo pipefail
umask 077
shopt -s inherit_errexit

# A tab separates the columns; errors stop the statement list.
sql() { psql --no-psqlrc --quiet --no-align --tuples-only --field-separator=$'\t' --set=ON_ERROR_STOP=1 --username=postgres "$@"; }
live() { sql --host=/run/postgresql --dbname="$POSTGRES_DB" "$@"; }

lost="the archive has no files of this database. Mount the disk of ARCHIVE_DIRECTORY or correct BACKUP_DESTINATION. Without those files, a restart of the service archive begins a new archive."

# The cause of a failure, for an operator: the system's error in the text of pgBackRest, then its exit code.
cause() {
  local code=$1 errors=$2
  if grep -qE 'FormatError|CryptoError|ChecksumError' <<<"$errors"; then
    code=95 errors=${errors%%HINT*}
  elif grep -qE '(Archive|Backup)MismatchError' <<<"$errors"; then
    # archive-push ends with 103 then.
    code=28
  fi
  case $errors in
    *"No space left on device"* | *"Disk quota exceeded"*) echo "the disk of the archive is full. Free space on it, or set another ARCHIVE_DIRECTORY." && return ;;
    *"Permission denied"* | *"Operation not permitted"*) echo "user $(id -u) may not write the archive directory. That user must own it and all files in it." && return ;;
    *"Read-only file system"*) echo "the file system of the archive is read-only." && return ;;
    *"FileMissingError"*"stanza-create been performed"*) echo "$lost" && return ;;
  esac
  case $code in
    28 | 29 | 51 | 55 | 58 | 75 | 95) ;;
    *) if full; then echo "the disk of the archive is full. Free space on it, or set another ARCHIVE_DIRECTORY." && return; fi ;;
  esac
  case $code in
    28 | 51) echo "the archive belongs to another database. Restore from it (npm run restore -- --latest), or set another ARCHIVE_DIRECTORY." ;;
    29 | 95) echo "the archive cannot be decrypted or is damaged. Its key is in the state of the stack that created it: use that state or another copy of the archive." ;;
    55 | 75) echo "the archive has no backup of that time. It starts with its first full backup, and BACKUP_RETENTION_DAYS limits its age. If ARCHIVE_DIRECTORY or BACKUP_DESTINATION changed since then, set the former place, run npm run up, and restore again." ;;
    41 | 47 | 99 | 103) echo "the archive directory cannot be written. User $(id -u) must own it, and its disk must have space." ;;
    58) echo "the newest backup before that time belongs to a state that a restore has left. Use --latest, or an earlier time." ;;
    82) echo "the changes of the database did not reach the archive within a minute. User $(id -u) must own its directory, and its disk must have space." ;;
    39 | 49 | 101 | 104 | 106)
      if [ "${PGBACKREST_REPO1_TYPE:-}" = s3 ]; then
        echo "the object storage does not answer or refuses. Check BACKUP_DESTINATION, BACKUP_ENDPOINT and its keys."
      else
        echo "the archive directory cannot be written: $(first "$errors")"
      fi
      ;;
    *) echo "pgBackRest ended with $code: $(first "$errors")" ;;
  esac
}

# Whether the disk of the archive has no space for a change, or no file left: pgBackRest then fails in many ways, some without the system's error.
full() {
  local space files total
  [ "${PGBACKREST_REPO1_TYPE:-}" != s3 ] || return 1
  read -r space files total < <(df --output=avail,iavail,itotal --block-size=1M "$PGBACKREST_REPO1_PATH" 2>/dev/null | tail -1) || return 1
  [ "$space" -lt 16 ] || { [ "$files" = 0 ] && [ "$total" != 0 ]; }
}

first() { sed -n 's/.*ERROR: *//p' <<<"$1" | head -1 | cut -c1-160; }

backrest() {
  local code=0 file=/tmp/archive.$BASHPID errors
  (
    export PGBACKREST_REPO1_CIPHER_PASS PGBACKREST_REPO1_S3_KEY PGBACKREST_REPO1_S3_KEY_SECRET
    PGBACKREST_REPO1_CIPHER_PASS=$(<"$ARCHIVE_KEY_FILE")
    if [ -n "${STORAGE_KEY_FILE:-}" ]; then
      PGBACKREST_REPO1_S3_KEY=$(<"$STORAGE_KEY_ID_FILE") PGBACKREST_REPO1_S3_KEY_SECRET=$(<"$STORAGE_KEY_FILE")
    fi
    exec pgbackrest "$@"
  ) 2>"$file" || code=$?
  # Bytes of a file that was decrypted with a wrong key must not reach a terminal.
  errors=$(LC_ALL=C tr -cd '[:print:]\n' <"$file")
  rm -f "$file"
  # With 1, archive-get reports a file that the archive does not have.
  if [ $code -le 1 ]; then
    [ -z "$errors" ] || echo "$errors" >&2
    return "$code"
  fi
  echo "archive: $1 failed: $(cause $code "$errors")" >&2
  return "$code"
}

# Archives a change. The directory is common to the database and the archive: `status` reads the cause with the command `facts`.
common=${PGBACKREST_PG1_SOCKET_PATH:-/run/postgresql}
problem=$common/archive-problem dropped=$common/archive-dropped
note() { { echo "$1" >"$problem.new" && mv "$problem.new" "$problem"; } || true; }
push() {
  local code=0 errors
  errors=$(backrest archive-push "$1" 2>&1 >/dev/null) || code=$?
  [ -z "$errors" ] || echo "$errors" >&2
  if [ $code != 0 ]; then
    note "${errors##*archive-push failed: }"
  else
    rm -f "$problem"
    [[ $errors != *"dropped WAL file"* ]] || touch "$dropped" || true
  fi
  return $code
}
# For `status`: the time of the newest backup in the archive, in seconds, or 0, and the cause of failures.
facts() {
  local info cause status
  info=$(backrest info --output=json)
  cause=$(cat "$problem" 2>/dev/null || true)
  # An archive that cannot be read is no error of pgBackRest's info: 1 is a lost one, 2 an archive without backups.
  status=$(grep -o '"status":{"code":[0-9]*,"message":"[^"]*' <<<"$info" | head -1 || true)
  case $status in
    "" | *'"code":0,'* | *'"code":2,'*) ;;
    *'"code":1,'*) cause=$lost ;;
    *) cause=$(cause 104 "ERROR: ${status##*\"message\":\"}") ;;
  esac
  if [ -z "$cause" ] && [ -e "$dropped" ]; then
    cause="changes beyond the limit of the queue were dropped; the next backup closes the gap."
  fi
  printf '%s\t%s\n' "$(stops "$info" '[fdi]')" "$cause"
}

record() {
  live --command="insert into migrations.finished_runs (run, finished_at, seconds) values ('$1', now(), $2)
    on conflict (run) do update set finished_at = excluded.finished_at, seconds = excluded.seconds, bytes = null" ||
    echo "archive: the $1 is complete, but its time was not recorded." >&2
}

# Full without an argument if none exists or the newest is a week old.
backup() {
  local started=$SECONDS
  backrest stanza-create
  backrest backup --type="${1:-$(due)}" --exclude=restoring/ --exclude=replaced/ --exclude=lost+found
  rm -f "$problem" "$dropped"
  record backup $((SECONDS - started))
  echo "archive: backup finished in $((SECONDS - started)) s"
}

stops() { grep -o "\"stop\":[0-9]*},\"type\":\"$2" <<<"$1" | tail -1 | grep -o '[0-9]*' || echo 0; }
newest() { stops "$(backrest info --output=json)" "$1"; }
# Whether the newest backup is older than a restore.
is_left() {
  local now
  now=$(live --command="select lpad(to_hex(timeline_id), 8, '0') from pg_control_checkpoint()")
  backrest info --output=json | grep -o '"stop":"[0-9A-F]\{8\}' | tail -1 | grep -qvi "$now"
}
due() { [ $(($(date +%s) - $(newest full))) -lt $((7 * 86400 - 3600)) ] && echo diff || echo full; }

# The files of the newest backup. A restore to a time before that backup has left it: then pgBackRest ends with 58, and an earlier one serves.
files() {
  local set code errors=/tmp/restore.errors
  for set in "" $(backrest info --output=json | grep -o '"label":"[^"]*' | cut -d'"' -f4 | tac); do
    code=0
    backrest restore ${set:+--set="$set"} "$@" 2>"$errors" || code=$?
    if [ $code != 58 ] || [[ " $* " == *" --type=time "* ]]; then break; fi
  done
  cat "$errors" >&2
  return $code
}
# Restores into $2 and lets Postgres replay the archive, without connections from outside. $1 says where its own changes go.
recover() {
  local archiving=$1 data=$2
  shift 2
  mkdir -p "$data"
  chmod 0700 "$data"
  [ -z "$(find "$data" -mindepth 1 -maxdepth 1 ! -name lost+found -print -quit)" ] || set -- --delta "$@"
  rm -f "$data/postmaster.pid"
  files --pg1-path="$data" "$@"
  : >/tmp/recovery.log
  pg_ctl --pgdata="$data" --wait --timeout=86400 --silent --log=/tmp/recovery.log --options="$(recovery_options) $archiving" start || unreached
  until [ "$(sql --host=/tmp --dbname=postgres --command='select pg_is_in_recovery()' 2>/dev/null)" = f ]; do
    pg_ctl --pgdata="$data" status >/dev/null || unreached
    sleep 1
  done
}
unreached() {
  grep -E 'FATAL|PANIC|^archive:' /tmp/recovery.log | tail -5 >&2 || true
  if ! grep -q '^archive: .* is missing' /tmp/recovery.log; then
    echo "archive: the archive does not reach that time, or lacks a file or has a damaged one. Use an earlier time, or --latest." >&2
  elif [ "$data" != "$PGDATA" ] && is_copy "$data"; then
    lacks
  else
    echo "archive: use an earlier time, or --latest --replace, which restores the state before the missing file and deletes all later changes." >&2
  fi
  exit 1
}
# Whether a directory has files of the database in PGDATA.
is_copy() { [ "$(control "$PGDATA" "Database system identifier")" = "$(control "$1" "Database system identifier")" ]; }
lacks() { echo "archive: the database has changes that the archive lacks${1:+, since $1}. The next backup of the archive closes this gap. --latest --replace deletes these changes." >&2; }
# Fails if the database in PGDATA has changes that its recovered copy lacks: they were dropped, or did not reach the archive. A database that stops
# switches to the next segment for its last checkpoint.
complete() {
  local end checkpoint
  is_copy "$1" || return 0
  end=$(grep . "$(compgen -G "$1/pg_wal/*.history" | tail -1)" | tail -1 | cut -f2)
  checkpoint=$(control "$PGDATA" "Latest checkpoint location")
  [ "$(sql --host=/tmp --dbname=postgres --set=checkpoint="$checkpoint" --set=end="$end" \
    <<<"select pg_wal_lsn_diff(:'checkpoint', :'end') > 16 * 1024 * 1024")" = t ] || return 0
  lacks "$(sed -n 's/.*last completed transaction was at log time //p' /tmp/recovery.log | tail -1)"
  return 1
}
control() { pg_controldata "$1" | sed -n "s/^$2: *//p"; }
recovery_options() {
  echo "-c listen_addresses='' -c unix_socket_directories=/tmp -c shared_buffers=64MB -c max_locks_per_transaction=512" \
    "-c restore_command='pgbackrest-archive get %f \"%p\"'"
}
# Gets a file for Postgres, which takes codes up to 125, and damaged changes, for the end of the archive: a restore would end early.
# pgBackRest does not compare the checksum in the names of the archive.
fetch() {
  local code=0 sum
  backrest archive-get "$1" "$2" || code=$?
  if [ $code = 1 ] && [ ${#1} = 24 ] && [ -z "${ENDS_AT_GAP:-}" ] && has_later "$1"; then
    code=0
    # The database may have archived both in the meantime.
    backrest archive-get "$1" "$2" || code=$?
    [ $code != 1 ] || { echo "archive: $1 is missing, but the archive has later changes" >&2 && return 126; }
  fi
  [ $code -le 1 ] || return 126
  if [ $code = 0 ] && [ ${#1} = 24 ]; then
    sum=$(sha1sum <"$2")
    if ! is_archived "$1-${sum%% *}"; then
      echo "archive: $1 is damaged: its checksum differs" >&2
      return 126
    fi
  fi
  return $code
}
# @param $1 beginning of the name of an archived file
is_archived() {
  local folder=archive/$PGBACKREST_STANZA database
  for database in $(backrest repo-ls "$folder" --filter='^[0-9]+-[0-9]+$'); do
    [ -z "$(backrest repo-ls "$folder/$database/${1:0:16}" --filter="^$1")" ] || return 0
  done
  return 1
}
# Whether the archive has a later change of the same timeline.
# @param $1 name of a segment
has_later() {
  local folder=archive/$PGBACKREST_STANZA database part last
  for database in $(backrest repo-ls "$folder" --filter='^[0-9]+-[0-9]+$'); do
    for part in $(backrest repo-ls "$folder/$database" --filter="^${1:0:8}"); do
      last=$(backrest repo-ls "$folder/$database/$part" --filter='^[0-9A-F]{24}-' | sort | tail -1)
      [[ ${last:0:24} < "$1" ]] || return 0
    done
  done
  return 1
}
# A drill leaves nothing in the archive. The new timeline of a restore enters it when the database starts, not with a restore that is given up.
nowhere="-c archive_mode=off"
later="-c archive_mode=on -c archive_command=''"
now="-c archive_mode=on -c archive_command='pgbackrest-archive push %p'"

target() { [ "$1" = latest ] && echo --type=default || printf '%s\n' --type=time "--target=$1" --target-action=promote; }

# Restores and starts a copy beside the database, which may run and stays unchanged if the backup or a change is damaged. `latest replace` also
# deletes changes that the archive lacks, and those after a missing file.
prepare() {
  local started=$SECONDS data=$PGDATA/restoring/data info largest
  [ "$*" != "latest replace" ] || export ENDS_AT_GAP=true
  settle
  rm -rf "$PGDATA/restoring"
  info=$(backrest info --output=json)
  largest=$(grep -o '"size":[0-9]*' <<<"$info" | cut -d: -f2 | sort -n | tail -1 || true)
  if [ "$(df --output=avail -B1 "$PGDATA" | tail -1)" -lt $((${largest:-0} * 5 / 4 + (1 << 30))) ]; then
    echo "archive: the disk has no space for a second copy of the database. The archive's checksums are verified, and the restore replaces the files in place." >&2
    verify
    return 0
  fi
  mapfile -t target < <(target "$1")
  trap 'pg_ctl --pgdata="$PGDATA/restoring/data" --mode=immediate --silent stop >/dev/null 2>&1 || true; rm -rf "$PGDATA/restoring"' EXIT
  recover "$later" "$data" "${target[@]}"
  [ "$*" != latest ] || complete "$data"
  pg_ctl --pgdata="$data" --mode=fast --wait --silent stop
  touch "$PGDATA/restoring/complete"
  trap - EXIT
  echo "archive: restored beside the database in $((SECONDS - started)) s"
}

# pgBackRest reports a damaged file only in the text.
verify() {
  local report
  report=$(backrest verify --output=text)
  ! grep -A99 '^status: error' <<<"$report" >&2 || { echo "archive: the archive cannot be decrypted or is damaged. Use another copy of it." >&2 && return 1; }
}

stopped() {
  pg_isready --quiet --host=/run/postgresql || return 0
  echo "archive: the database runs. Stop it first; npm run restore does that." >&2
  return 1
}

# Replaces the stopped database by the prepared copy.
replace() {
  stopped
  [ "$*" != "latest replace" ] || export ENDS_AT_GAP=true
  if [ -e "$PGDATA/restoring/complete" ]; then
    mv "$PGDATA/restoring" "$PGDATA/replacing"
    settle
    return
  fi
  # pgBackRest fails at a directory that it cannot read. fsck creates this one when it needs it.
  [ ! -d "$PGDATA/lost+found" ] || rmdir "$PGDATA/lost+found"
  mapfile -t target < <(target "$1")
  trap 'pg_ctl --pgdata="$PGDATA" --mode=immediate --silent stop >/dev/null 2>&1 || true' EXIT
  recover "$now" "$PGDATA" "${target[@]}"
  pg_ctl --pgdata="$PGDATA" --mode=fast --wait --silent stop
  trap - EXIT
}

# Completes an interrupted replacement. Each renaming of a directory ends one of its steps; entrypoint.sh calls it before every start.
settle() {
  cd "$PGDATA"
  rm -rf replaced
  [ -d replacing ] || return 0
  if [ ! -d replacing/former ]; then
    mkdir -p replacing/leaving
    find . -mindepth 1 -maxdepth 1 ! -name replacing ! -name lost+found -exec mv -t replacing/leaving {} +
    mv replacing/leaving replacing/former
  fi
  find replacing/data -mindepth 1 -maxdepth 1 -exec mv -t . {} +
  mv replacing replaced
  rm -rf replaced
}

restore() {
  stopped
  prepare "$@"
  replace "$@"
}

# A commit after every earlier one, in the archive: a restore to any earlier time then finds its end.
flush() {
  live --command="select pg_current_xact_id()" >/dev/null
  backrest check
}

tables="from pg_class where relkind in ('r', 'p') and not relispartition and relnamespace in (select oid from pg_namespace
  where nspname in ('auth', 'migrations', 'public', 'routing') or nspowner = 'routeql_owner'::regrole)"
# One line for each table: name, rows, sum of the rows' hashes. The rows' order does not matter.
fingerprint="select format('select %L, count(*), coalesce(sum(hashtextextended(t::text, 0)::numeric), 0) from %I.%I t;', oid::regclass, relnamespace::regnamespace, relname)
  $tables order by 1"

# Restores the newest backup to a mark in the log, and compares each table with the running database as of that mark.
drill() {
  local started=$SECONDS data=$DRILL_DIRECTORY/data tries=0 mark
  mark=drill-$(date +%s)
  trap 'pg_ctl --pgdata="$DRILL_DIRECTORY/data" --mode=immediate --silent stop >/dev/null 2>&1 || true; rm -rf "$DRILL_DIRECTORY"/* /tmp/drill.*' EXIT
  rm -rf "$data"
  # The locks stop writers while the mark is written; the transaction keeps the snapshot of that moment and releases the locks.
  until live >/tmp/drill.expected 2>/tmp/drill.errors <<SQL
set lock_timeout = '2s';
begin isolation level repeatable read;
savepoint mark;
lock table $(live --command="select string_agg(oid::regclass::text, ', ') $tables") in share mode;
select pg_create_restore_point('$mark') \g /dev/null
rollback to savepoint mark;
$fingerprint \gexec
commit;
SQL
  do
    tries=$((tries + 1))
    [ $tries -lt 20 ] || { cat /tmp/drill.errors >&2; echo "archive: the drill found no moment without writers" >&2; return 1; }
    sleep 15
  done
  flush
  recover "$nowhere" "$data" --type=name --target="$mark" --target-action=promote
  sql --host=/tmp --dbname="$POSTGRES_DB" >/tmp/drill.found <<<"$fingerprint \gexec"
  if ! diff /tmp/drill.expected /tmp/drill.found >&2; then
    echo "archive: the drill failed: these tables differ (< running database, > restored)" >&2
    return 1
  fi
  record drill $((SECONDS - started))
  awk -F'\t' '{ rows += $2 } END { print "archive: drill passed: " NR " tables, " rows " rows" }' /tmp/drill.found
  echo "archive: drill finished in $((SECONDS - started)) s"
}

# Runs in a process of its own: a failure ends only that process.
attempt() { "$0" "$@" || echo "archive: $* failed; the next attempt follows in an hour" >&2; }

# Whether the archive was reached, and a directory can be written now.
healthy() { [ -e /tmp/reached ] && { [ "${PGBACKREST_REPO1_TYPE:-}" = s3 ] || [ -w "$PGBACKREST_REPO1_PATH" ]; }; }

schedule() {
  local now last_drill pause code
  trap 'exit 0' TERM INT
  while true; do
    now=$(date +%s)
    pause=60
    code=0
    backrest stanza-create || code=$?
    # After a lost volume the archive of the former database is reached, and waits for a restore.
    case $code in 0 | 28 | 51) touch /tmp/reached ;; *) rm -f /tmp/reached ;; esac
    # The first change may come minutes later.
    case $code in 28 | 51) note "$(cause "$code" "")" ;; esac
    if [ $code = 0 ]; then
      # Daily at ARCHIVE_HOUR, or now after a restore or if the last one is more than a day old.
      if is_left || [ $((now - $(newest '[fdi]'))) -gt 90000 ] || { [ "$(date -u +%-H)" = "$ARCHIVE_HOUR" ] && [ $((now - $(newest '[fdi]'))) -gt 7200 ]; }; then
        attempt backup
      fi
      last_drill=$(live --command="select coalesce(extract(epoch from max(finished_at))::bigint, 0) from migrations.finished_runs where run = 'drill'" || echo "$now")
      [ $((now - last_drill)) -lt $((7 * 86400)) ] || attempt drill
      pause=$((3600 - $(date +%s) % 3600))
    fi
    sleep $pause &
    wait $!
  done
}

command=${1:-schedule}
[ $# = 0 ] || shift
case $command in
  # Of a drill or of the database: pgBackRest requires the directory in which Postgres runs.
  get) PGBACKREST_PG1_PATH=$PWD fetch "$1" "$2" ;;
  backup | drill | facts | flush | healthy | prepare | push | replace | restore | schedule | settle | verify) "$command" "$@" ;;
  *) backrest "$command" "$@" ;;
esac
