#!/bin/bash
# monitoring-get PORT PATH: prints the reply of the Prometheus or Alertmanager in this container, with its login.
# Fails unless the status is 200.
set -euo pipefail
port=$1 path=$2
credentials=$(printf 'routeql:%s' "$(<"$MONITORING_PASSWORD_FILE")" | base64 --wrap=0)
exec 3<>"/dev/tcp/127.0.0.1/$port"
printf 'GET %s HTTP/1.0\r\nHost: 127.0.0.1:%s\r\nAuthorization: Basic %s\r\n\r\n' "$path" "$port" "$credentials" >&3
read -r -t 4 _ status _ <&3
timeout 4 cat <&3
[ "$status" = 200 ]
