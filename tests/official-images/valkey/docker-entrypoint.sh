#!/bin/sh
# Runs Valkey as its own user, also if the container starts as root. A first argument that is an option or a configuration is Valkey's.
set -e
case ${1:-} in
-* | *.conf) set -- valkey-server "$@" ;;
esac
if [ "$1" = valkey-server ] && [ "$(id -u)" = 0 ]; then
  find . ! -user valkey -exec chown valkey {} +
  exec setpriv --reuid=valkey --regid=valkey --clear-groups "$0" "$@"
fi
[ "$(umask)" != 0022 ] || umask 0077
exec "$@"
