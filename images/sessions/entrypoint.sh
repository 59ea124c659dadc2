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

# Valkey itself would only report "Permission denied" for a temporary file.
data=/data
foreign=$(find "$data/appendonlydir" ! -writable -print -quit 2>/dev/null || true)
[ -w "$data" ] || foreign=$data
if [ -n "$foreign" ]; then
  echo "sessions: user $(id -u) may not write $foreign, which belongs to user $(stat -c %u "$foreign"). The data was created by another image:" \
    "set images as it was then, or remove the data (npm run down -- --volumes)." >&2
  exit 78
fi

configuration=/tmp/valkey.conf
printf 'include %s\nrequirepass "%s"\n' "${VALKEY_CONFIGURATION:-/etc/valkey/valkey.conf}" "$password" >"$configuration"
# The exporter of metrics logs in as a user that reads statistics and no key.
if [ -n "${VALKEY_MONITOR_PASSWORD_FILE:-}" ]; then
  hash=$(printf %s "$(<"$VALKEY_MONITOR_PASSWORD_FILE")" | sha256sum)
  printf 'user monitor on #%s -@all +info +ping +client|setname +latency|latest +latency|histogram\n' "${hash%% *}" >>"$configuration"
fi
# healthy.sh loads a rotated password with this one.
printf %s "$password" >/tmp/sessions-password
unset password
exec valkey-server "$configuration" "$@"
