#!/bin/bash
# Succeeds if the gateway answers and serves the current version of its files, independent of the services behind it (GET /healthz checks these).
set -euo pipefail
version=none
[ ! -r /run/routeql/files.sha256 ] || read -r _ version </run/routeql/files.sha256
exec 3<>/dev/tcp/127.0.0.1/8081
printf 'GET / HTTP/1.0\r\n\r\n' >&3
mapfile -t lines <&3
[ "${lines[-1]}" = "$version" ]
