#!/usr/bin/env bash
# Creates the cluster at the first start and runs Postgres as its own user, also if the container starts as root.
set -Eeuo pipefail

[ "${1#-}" = "$1" ] || set -- postgres "$@"
[ "$1" = postgres ] || exec "$@"

mkdir -p "$PGDATA"
if [ "$(id -u)" = 0 ]; then
  find "$PGDATA" /var/run/postgresql ! -user postgres -exec chown postgres {} +
  exec gosu postgres "${BASH_SOURCE[0]}" "$@"
fi
chmod 0700 "$PGDATA" || :

if [ ! -s "$PGDATA/PG_VERSION" ]; then
  password=${POSTGRES_PASSWORD:-$(cat "${POSTGRES_PASSWORD_FILE:-/dev/null}")}
  if [ -z "$password" ] && [ "${POSTGRES_HOST_AUTH_METHOD:-}" != trust ]; then
    echo "POSTGRES_PASSWORD is empty: the cluster needs the password of its superuser." >&2
    exit 1
  fi
  user=${POSTGRES_USER:-postgres}
  initdb --username="$user" --pwfile=<(printf '%s\n' "$password")
  printf '\nhost all all all %s\n' "${POSTGRES_HOST_AUTH_METHOD:-scram-sha-256}" >>"$PGDATA/pg_hba.conf"
  pg_ctl --wait --options="-c listen_addresses=''" start
  [ "${POSTGRES_DB:-$user}" = postgres ] || PGPASSWORD=$password createdb --username="$user" --no-password "${POSTGRES_DB:-$user}"
  for script in /docker-entrypoint-initdb.d/*.sql; do
    [ ! -f "$script" ] || PGPASSWORD=$password psql --username="$user" --no-password --dbname="${POSTGRES_DB:-$user}" --file="$script"
  done
  pg_ctl --mode=fast --wait stop
fi
unset POSTGRES_PASSWORD password
exec "$@"
