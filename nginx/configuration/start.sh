#!/bin/sh
# Starts nginx as the container's first process. follow.sh reloads it for a renewed certificate and, before nginx 1.27.3, for a new address of a
# service behind the gateway.
set -eu
configuration=/run/routeql/nginx/nginx.conf
certificate=/run/routeql/tls/certificate.pem
# Sets the addresses engine and auth_sidecar.
. /run/routeql/nginx/addresses.sh

# (1) The container's name servers: Docker's own or the cluster's.
servers=
while read -r keyword value _; do
  [ "$keyword" = nameserver ] || continue
  case $value in
    *:*) servers="$servers [$value]" ;;
    *) servers="$servers $value" ;;
  esac
done </etc/resolv.conf
if [ -z "$servers" ]; then
  echo "gateway: /etc/resolv.conf names no server" >&2
  exit 78
fi
# nginx repeats a lookup after two seconds, regardless of the answer's time to live. Default: none; 30s
printf 'resolver%s valid=2s;\nresolver_timeout 2s;\n' "$servers" >/tmp/resolver.conf

# (2) From 1.27.3 on, nginx looks up the servers of an upstream repeatedly. An older nginx gets addresses; this script looks them up.
version=$(nginx -v 2>&1 | sed -n 's,.*nginx/\([0-9]*\)\.\([0-9]*\)\.\([0-9]*\).*,\1 \2 \3,p')
looks_up() {
  [ "$1" -gt 1 ] || [ "$2" -gt 27 ] || { [ "$2" -eq 27 ] && [ "$3" -ge 3 ]; }
}
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
# max_fails=0 keeps a server in use after a failure: it may answer the next request. Default of max_fails: 1
write_servers() {
  for address in ${1:-absent}; do
    case $address in
      absent) echo "server 127.0.0.1:1 down;" ;;
      *:*) echo "server [$address]:$2 max_fails=0;" ;;
      *) echo "server $address:$2 max_fails=0;" ;;
    esac
  done
}
# shellcheck disable=SC2086 # three words
if looks_up $version; then
  echo "server $engine resolve max_fails=0;" >/tmp/engine-servers.conf
  echo "server $auth_sidecar resolve max_fails=0;" >/tmp/auth-sidecar-servers.conf
  follows_names=no
else
  engine_host=$(host_of "$engine")
  auth_sidecar_host=$(host_of "$auth_sidecar")
  engine_at=$(addresses_of "$engine_host")
  auth_sidecar_at=$(addresses_of "$auth_sidecar_host")
  write_servers "$engine_at" "${engine##*:}" >/tmp/engine-servers.conf
  write_servers "$auth_sidecar_at" "${auth_sidecar##*:}" >/tmp/auth-sidecar-servers.conf
  follows_names=yes
fi

# (3) One worker for each processor of the container: its processors or its quota, if that is smaller. At most eight, to limit memory.
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

# (4) The hybrid post-quantum group needs OpenSSL 3.5. nginx does not start with a group that its OpenSSL does not support.
groups=X25519:prime256v1:secp384r1
openssl=$(nginx -V 2>&1 | sed -n 's/.*with OpenSSL \([0-9]*\)\.\([0-9]*\).*/\1 \2/p')
if [ "${openssl% *}" -gt 3 ] 2>/dev/null || { [ "${openssl% *}" = 3 ] && [ "${openssl#* }" -ge 5 ]; }; then
  groups=X25519MLKEM768:$groups
else
  echo "gateway: nginx has OpenSSL $(echo "$openssl" | tr ' ' .), which lacks the group X25519MLKEM768; serving TLS without it" >&2
fi
printf 'ssl_ecdh_curve %s;\n' "$groups" >/tmp/tls-groups.conf

. /run/routeql/nginx/follow.sh
follow $$ &
exec nginx -c "$configuration"
