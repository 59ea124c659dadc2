#!/bin/bash
# Succeeds if the gateway answers a request on its plain listener, independent of the services behind it (GET /healthz checks these).
set -euo pipefail
exec 3<>/dev/tcp/127.0.0.1/8080
printf 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' >&3
read -r -t 3 _ status _ <&3
[ "$status" = 308 ]
