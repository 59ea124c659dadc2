#!/bin/bash
# Succeeds if the store accepts commands. It fails while the store reads its append-only file. A rotated login is loaded first; the former one stays for
# ten minutes, in which the clients are replaced. Then no user and no connection remains but those of this deployment.
set -euo pipefail
umask 077
# shellcheck source=images/sessions/users.sh
. "${VALKEY_USERS:-/usr/local/lib/valkey-users}"
# Runs commands from standard input, and fails if the store rejects one.
change() {
  local answers
  answers=$(valkey)
  ! grep -E "^(ERR|WRONGPASS|NOPERM|NOAUTH)|^\(error\)" <<<"$answers" >&2
}
monitor() { [ -z "${VALKEY_MONITOR_PASSWORD_FILE:-}" ] || echo "acl setuser monitor $* on #$(hash_of "$(<"$VALKEY_MONITOR_PASSWORD_FILE")") $monitor_rights"; }

read_login
hash=$(hash_of "$password")
known=$(<"$loaded_file")
if [ "$user $hash" != "$known" ]; then
  {
    echo "acl setuser $user on #$hash $sidecar_rights"
    monitor
  } | change
  cp "$loaded_file" "$former_file"
  printf %s "$user $hash" >"$loaded_file"
fi
if [ -n "$(find "$former_file" -mmin +10 2>/dev/null)" ]; then
  # The end of a user ends its connections.
  echo "acl users" | valkey | { grep -vxE "default|keeper|monitor|$user" || true; } | sed 's/^/acl deluser /' | change
  {
    echo "acl setuser $user resetpass #$hash"
    echo "acl setuser default reset"
    echo "client kill user default"
    monitor reset
    [ -z "${VALKEY_MONITOR_PASSWORD_FILE:-}" ] || echo "client kill user monitor"
  } | change
  rm -f "$former_file" "$open_file"
fi
if [ -e "$open_file" ]; then
  clients=$(echo "client list" | valkey)
  if grep -q " user=default " <<<"$clients"; then
    touch "$open_file"
  elif [ -n "$(find "$open_file" -mmin +1)" ] && grep -q " user=$user " <<<"$clients"; then
    echo "acl setuser default reset" | change
    rm -f "$open_file"
  fi
fi
[ "$(echo ping | valkey)" = PONG ]
