#!/bin/bash
# Succeeds if the store accepts commands with the delivered password. It fails while the store reads its append-only file. Rotated passwords are loaded
# first; the former ones stay valid for ten minutes, in which the clients are replaced.
set -euo pipefail
umask 077
file=${VALKEY_PASSWORD_FILE:-/run/routeql/secrets/sessions-password}
loaded=/tmp/sessions-password
former=/tmp/former-sessions-password
valkey() { VALKEYCLI_AUTH=$1 REDISCLI_AUTH=$1 valkey-cli -h 127.0.0.1 -t 3; }
hash_of() { printf %s "$1" | sha256sum | cut -c1-64; }
# @param $@ rules before the delivered password
monitor() { [ -z "${VALKEY_MONITOR_PASSWORD_FILE:-}" ] || echo "acl setuser monitor $* #$(hash_of "$(<"$VALKEY_MONITOR_PASSWORD_FILE")")"; }

password=$(<"$file")
known=$(<"$loaded")
if [ -n "$password" ] && [ "$password" != "$known" ]; then
  {
    echo "acl setuser default #$(hash_of "$password")"
    monitor
  } | valkey "$known" >/dev/null
  cp "$loaded" "$former"
  printf %s "$password" >"$loaded"
fi
if [ -n "$(find "$former" -mmin +10 2>/dev/null)" ]; then
  {
    echo "acl setuser default !$(hash_of "$(<"$former")")"
    monitor resetpass
  } | valkey "$password" >/dev/null
  rm "$former"
fi
[ "$(echo ping | valkey "$password")" = PONG ]
