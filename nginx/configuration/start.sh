#!/bin/sh
# Starts nginx as the container's first process. follow.sh reloads it for changed files, a renewed certificate and a new address of a service
# behind the gateway.
set -eu
configuration=/run/routeql/nginx/nginx.conf
certificate=/run/routeql/tls/certificate.pem
# Sets the addresses engine and auth_sidecar.
# shellcheck source=/dev/null
. /run/routeql/nginx/addresses.sh
: "${engine:?}" "${auth_sidecar:?}"

# (1) nginx gets the addresses of the services; follow.sh updates them.
# Prints the host of an address in the form for a lookup. The trailing dot excludes search domains.
host_of() {
  case $1 in
    \[*) echo "${1%:*}" | tr -d '[]' ;;
    *[!0-9.:]*) echo "${1%:*}." ;;
    *) echo "${1%:*}" ;;
  esac
}
# Prints the addresses of a host, one in each line.
addresses_of() {
  getent ahosts "$1" | while read -r address kind _; do
    [ "$kind" = STREAM ] && echo "$address"
  done | sort -u
}
# Prints server lines for addresses ($1) and a port ($2). Without an address nginx has no server and answers 503 immediately.
# max_fails=0 keeps a server in use after a failure: it may answer the next request. Of several servers, one that stops pauses for a second.
# Default of max_fails: 1
write_servers() {
  case $1 in
    *[![:space:]]*[[:space:]]*) failures="max_fails=1 fail_timeout=1s" ;;
    *) failures=max_fails=0 ;;
  esac
  for address in ${1:-absent}; do
    case $address in
      absent) echo "server 127.0.0.1:1 down;" ;;
      *:*) echo "server [$address]:$2 $failures;" ;;
      *) echo "server $address:$2 $failures;" ;;
    esac
  done
}
engine_host=$(host_of "$engine")
auth_sidecar_host=$(host_of "$auth_sidecar")
engine_at=$(addresses_of "$engine_host")
auth_sidecar_at=$(addresses_of "$auth_sidecar_host")
write_servers "$engine_at" "${engine##*:}" >/tmp/engine-servers.conf
write_servers "$auth_sidecar_at" "${auth_sidecar##*:}" >/tmp/auth-sidecar-servers.conf

# (2) One worker for each processor of the container: its processors or its quota, if that is smaller. At most eight, to limit memory.
processors=$(nproc)
quota=max
if [ -r /sys/fs/cgroup/cpu.max ]; then
  read -r quota period </sys/fs/cgroup/cpu.max
elif [ -r /sys/fs/cgroup/cpu/cpu.cfs_quota_us ]; then
  read -r quota </sys/fs/cgroup/cpu/cpu.cfs_quota_us
  read -r period </sys/fs/cgroup/cpu/cpu.cfs_period_us
fi
case $quota in
  max | -*) ;;
  *) [ $(((quota + period - 1) / period)) -ge "$processors" ] || processors=$(((quota + period - 1) / period)) ;;
esac
[ "$processors" -le 8 ] || processors=8
echo "worker_processes $processors;" >/tmp/workers.conf
# The workers share 12,288 connections, which fit into the memory of the container: an idle TLS connection takes about 34 KiB, a WebSocket takes
# two connections and 85 KiB. When few are left, nginx closes idle ones. Default: 512 for each worker
echo "worker_connections $((12288 / processors));" >/tmp/connections.conf

# (3) The hybrid post-quantum group needs OpenSSL 3.5. nginx does not start with a group that its OpenSSL does not support.
groups=X25519:prime256v1:secp384r1
openssl=$(nginx -V 2>&1 | sed -n 's/.*with OpenSSL \([0-9]*\)\.\([0-9]*\).*/\1 \2/p')
if [ "${openssl% *}" -gt 3 ] 2>/dev/null || { [ "${openssl% *}" = 3 ] && [ "${openssl#* }" -ge 5 ]; }; then
  groups=X25519MLKEM768:$groups
else
  echo "gateway: nginx has OpenSSL $(echo "$openssl" | tr ' ' .), which lacks the group X25519MLKEM768; serving TLS without it" >&2
fi
printf 'ssl_ecdh_curve %s;\n' "$groups" >/tmp/tls-groups.conf

# (4) The ports are on both families. nginx does not start with an IPv6 address where the kernel has no IPv6.
for listener in "8080 default_server" "8443 ssl default_server" "32000 ssl default_server" 9090; do
  if [ -e /proc/net/if_inet6 ]; then echo "listen [::]:$listener;"; fi >"/tmp/listen-${listener%% *}.conf"
done

# shellcheck source=nginx/configuration/follow.sh
. /run/routeql/nginx/follow.sh
files_changed || write_version
# A container that is restarted in the same pod serves again.
rm -f /tmp/draining
# (5) An update tries new files in a container of its own, without a network.
[ "${1:-}" != check ] || exec nginx -t -q -c "$configuration"
follow $$ &
exec nginx -c "$configuration"
