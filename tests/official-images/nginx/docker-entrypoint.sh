#!/bin/sh
# Runs the scripts of /docker-entrypoint.d before nginx.
set -e
if [ "$1" = nginx ]; then
  for script in /docker-entrypoint.d/*.sh; do
    [ ! -x "$script" ] || "$script"
  done
fi
exec "$@"
