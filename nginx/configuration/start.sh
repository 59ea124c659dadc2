#!/bin/sh
# Starts nginx as the container's first process. nginx reads neither the name servers nor a renewed certificate by itself:
set -eu
configuration=/run/routeql/nginx/nginx.conf
certificate=/run/routeql/tls/certificate.pem

# (1) The name servers are those of the container: Docker's own, or the cluster's.
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
# Names are resolved again after two seconds, independent of the DNS record's time to live. Default: none; 30s
printf 'resolver%s valid=2s;\nresolver_timeout 2s;\n' "$servers" >/tmp/resolver.conf

# (2) The hybrid post-quantum group needs OpenSSL 3.5; nginx does not start with a group that its OpenSSL does not support.
groups=X25519:prime256v1:secp384r1
openssl=$(nginx -V 2>&1 | sed -n 's/.*with OpenSSL \([0-9]*\)\.\([0-9]*\).*/\1 \2/p')
if [ "${openssl% *}" -gt 3 ] 2>/dev/null || { [ "${openssl% *}" = 3 ] && [ "${openssl#* }" -ge 5 ]; }; then
  groups=X25519MLKEM768:$groups
else
  echo "gateway: nginx has OpenSSL $(echo "$openssl" | tr ' ' .), which lacks the group X25519MLKEM768; serving TLS without it" >&2
fi
printf 'ssl_ecdh_curve %s;\n' "$groups" >/tmp/tls-groups.conf

# (3) A certificate that is renewed in place (cert-manager, a Secret) is loaded within 30 seconds, without a lost request.
# If this loop ends, for example because of the process limit, the gateway ends too and is restarted: otherwise it would serve an expired
# certificate one day.
follow_certificate() {
  trap "kill -QUIT $1" EXIT
  known=$(cksum "$certificate")
  while sleep 30; do
    found=$(cksum "$certificate") || continue
    [ "$found" = "$known" ] && continue
    known=$found
    kill -HUP "$1"
  done
}
follow_certificate $$ &
exec nginx -c "$configuration"
