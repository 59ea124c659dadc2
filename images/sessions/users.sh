# shellcheck shell=bash disable=SC2034
# Users of the session store, and files in its memory. Sourced by entrypoint.sh, healthy.sh and `npm run status`.

# The commands and keys of the auth sidecar: sessions, throttling of logins, and the client library's own commands.
sidecar_rights='~session:* ~user-sessions:* ~throttle:* -@all +eval +evalsha +time +hget +hset +hmget +del +unlink +zrem +zadd +zrange +zremrangebyscore +pexpire +expire +pttl +get +set +incrby +exists +scan +multi +exec +ping +info +client|setname +client|setinfo'
# The exporter of metrics reads statistics and no key.
monitor_rights='-@all +info +ping +client|setname +latency|latest +latency|histogram'

keeper_file=/tmp/keeper-password
# `user hash` of the login that is loaded.
loaded_file=/tmp/loaded-login
# Exists from a rotation until its former login is removed.
former_file=/tmp/former-login
# Exists while the user `default` is open; its time is the last moment with a client of that user.
open_file=/tmp/default-is-open

hash_of() { printf %s "$1" | sha256sum | cut -c1-64; }

# Runs commands from standard input as the user that administers the store.
valkey() {
  local password
  password=$(<"$keeper_file")
  VALKEYCLI_AUTH=$password REDISCLI_AUTH=$password valkey-cli --user keeper -h 127.0.0.1 -t 3
}

# Sets user and password. Fails with a message if the file is not a login.
read_login() {
  local file=${VALKEY_LOGIN_FILE:-/run/routeql/secrets/sessions-login}
  if [ ! -r "$file" ]; then
    echo "sessions: VALKEY_LOGIN_FILE ($file) is not readable" >&2
    return 1
  fi
  # Without a line feed at the end of the file, `read` fails.
  read -r user password <"$file" || true
  if [[ ! $user =~ ^sidecar-[0-9]+$ || ! $password =~ ^[[:graph:]]{16,}$ ]]; then
    echo "sessions: the login must be a user such as sidecar-1 and a password of at least 16 visible characters" >&2
    return 1
  fi
}
