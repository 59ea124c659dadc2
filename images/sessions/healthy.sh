#!/bin/bash
# Succeeds when the store takes commands: not while it is still reading its append-only file, nor with another password.
set -euo pipefail
VALKEYCLI_AUTH=$(<"${VALKEY_PASSWORD_FILE:-/run/routeql/secrets/sessions-password}")
export VALKEYCLI_AUTH REDISCLI_AUTH=$VALKEYCLI_AUTH
[ "$(valkey-cli -h 127.0.0.1 -t 3 ping)" = PONG ]
