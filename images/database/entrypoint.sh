#!/bin/bash
# Starts Postgres on PGDATA like the official image, without root. The first start creates the cluster and the database POSTGRES_DB. Every
# start sets the superuser's password from POSTGRES_PASSWORD_FILE, so that a changed secret changes the password.
set -euo pipefail
umask 077

if [ "${1:-postgres}" != postgres ] && [ "${1#-}" = "$1" ]; then
  exec "$@"
fi
[ "${1:-}" = postgres ] && shift

password_file=${POSTGRES_PASSWORD_FILE:-/run/routeql/secrets/bootstrap-password}
database=${POSTGRES_DB:-postgres}
if [ ! -r "$password_file" ]; then
  echo "database: POSTGRES_PASSWORD_FILE ($password_file) is not readable" >&2
  exit 78
fi
password=$(<"$password_file")
if [ ${#password} -lt 16 ] || [[ $password == *$'\n'* ]]; then
  echo "database: the password must be one line of at least 16 characters" >&2
  exit 78
fi

# One statement per line. The server does not listen, and the log omits the statement, which contains the password.
single_user() {
  postgres --single -D "$PGDATA" -c log_statement=none -c log_min_error_statement=panic -c log_checkpoints=off \
    -c exit_on_error=true ${ARCHIVE_KEY_FILE:+-c archive_mode=on} postgres >/dev/null
}

mkdir -p "$PGDATA"
if [ ! -O "$PGDATA" ]; then
  echo "database: $PGDATA belongs to user $(stat -c %u "$PGDATA"), but this is user $(id -u). The data was created by another image:" \
    "set images as it was then, or remove the data (npm run down -- --volumes)." >&2
  exit 78
fi
# The directory of the official image is open to all.
chmod 0700 "$PGDATA"
[ ! -d "$PGDATA/replacing" ] || pgbackrest-archive settle
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  staging=$PGDATA/initializing
  if [ -d "$staging" ]; then
    # An interrupted first start left these files, which contain no data.
    find "$PGDATA" -mindepth 1 ! -name lost+found -delete
  elif [ -n "$(find "$PGDATA" -mindepth 1 -maxdepth 1 ! -name lost+found)" ]; then
    echo "database: $PGDATA holds files but no cluster; refusing to touch it" >&2
    exit 78
  fi
  echo "database: making a new cluster in $PGDATA"
  initdb --pgdata="$staging" --username=postgres --pwfile="$password_file" --auth-host=scram-sha-256 --auth-local=peer --data-checksums \
    --encoding=UTF8 --locale=C.UTF-8 --locale-provider=builtin --builtin-locale=C.UTF-8 --set listen_addresses='*' --no-instructions
  printf '\nhost all all all scram-sha-256\n' >>"$staging/pg_hba.conf"
  if [ "$database" != postgres ]; then
    PGDATA=$staging single_user <<<"create database \"${database//\"/\"\"}\""
  fi
  # PG_VERSION is moved last, because it marks the cluster as complete.
  find "$staging" -mindepth 1 -maxdepth 1 ! -name PG_VERSION -exec mv -t "$PGDATA" {} +
  mv "$staging/PG_VERSION" "$PGDATA/"
  rmdir "$staging"
fi

single_user <<<"alter role postgres password '${password//\'/\'\'}'"
unset password
# Without a limit per process, one statement could use all memory. The kernel would kill it, and Postgres would close all other connections.
# With the limit only that statement fails with "out of memory". Shared memory does not count.
if [ -n "${POSTGRES_PROCESS_MEGABYTES:-}" ]; then
  ulimit -d $((POSTGRES_PROCESS_MEGABYTES * 1024))
fi
exec postgres -D "$PGDATA" "$@"
