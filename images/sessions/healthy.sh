#!/bin/bash
# Succeeds if the store accepts commands. It fails while the store reads its append-only file, and with a wrong password.
set -euo pipefail
VALKEYCLI_AUTH=$(<"${VALKEY_PASSWORD_FILE:-/run/routeql/secrets/sessions-password}")
export VALKEYCLI_AUTH REDISCLI_AUTH=$VALKEYCLI_AUTH
[ "$(valkey-cli -h 127.0.0.1 -t 3 ping)" = PONG ]
