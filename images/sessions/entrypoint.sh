#!/bin/bash
# Starts Valkey with the login of VALKEY_LOGIN_FILE (`user password`), which may use the auth sidecar's commands and keys only. Passwords are hashes in a
# file in the container's memory, so that they are in no argument list and no environment.
set -euo pipefail
umask 077

# Valkey itself would only report "Permission denied" for a temporary file.
data=/data
foreign=$(find "$data/appendonlydir" ! -writable -print -quit 2>/dev/null || true)
[ -w "$data" ] || foreign=$data
if [ -n "$foreign" ]; then
  echo "sessions: user $(id -u) may not write $foreign, which belongs to user $(stat -c %u "$foreign"). The data was created by another image:" \
    "set images as it was then, or remove the data (npm run down -- --volumes)." >&2
  exit 78
fi

# shellcheck source=images/sessions/users.sh
. "${VALKEY_USERS:-/usr/local/lib/valkey-users}"
read_login || exit 78

configuration=/tmp/valkey.conf
{
  echo "include ${VALKEY_CONFIGURATION:-/etc/valkey/valkey.conf}"
  echo "user $user on #$(hash_of "$password") $sidecar_rights"
  # Auth sidecars of earlier versions log in as this user. healthy.sh closes it when they are gone.
  echo "user default reset on #$(hash_of "$password") $sidecar_rights"
  [ -z "${VALKEY_MONITOR_PASSWORD_FILE:-}" ] || echo "user monitor on #$(hash_of "$(<"$VALKEY_MONITOR_PASSWORD_FILE")") $monitor_rights"
  # healthy.sh administers the store as this user, whose password no other container knows.
  od -An -N32 -tx1 /dev/urandom | tr -d ' \n' >"$keeper_file"
  echo "user keeper on #$(hash_of "$(<"$keeper_file")") ~* &* +@all"
} >"$configuration"
rm -f "$former_file"
touch "$open_file"
printf %s "$user $(hash_of "$password")" >"$loaded_file"
unset password
exec valkey-server "$configuration" "$@"
