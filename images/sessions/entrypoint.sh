#!/bin/bash
# Starts Valkey with the password of VALKEY_PASSWORD_FILE. The password is written to a file in the container's memory, so that it is in no
# argument list and no environment.
set -euo pipefail
umask 077

password_file=${VALKEY_PASSWORD_FILE:-/run/routeql/secrets/sessions-password}
if [ ! -r "$password_file" ]; then
  echo "sessions: VALKEY_PASSWORD_FILE ($password_file) is not readable" >&2
  exit 78
fi
password=$(<"$password_file")
if [[ ! $password =~ ^[[:graph:]]{16,}$ || $password == *[\"\'\\]* ]]; then
  echo "sessions: the password must be at least 16 visible characters without quotes or backslashes" >&2
  exit 78
fi

configuration=/tmp/valkey.conf
printf 'include %s\nrequirepass "%s"\n' "${VALKEY_CONFIGURATION:-/etc/valkey/valkey.conf}" "$password" >"$configuration"
unset password
exec valkey-server "$configuration" "$@"
