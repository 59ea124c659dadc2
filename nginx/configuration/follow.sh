#!/bin/sh
# Reloads nginx without a lost request when the certificate or the address of a service has changed. start.sh includes this file.

# (1) A service without an address keeps its last one for three lookups, as a name server may fail for a moment.
patience=3
# Sets the variable named $1 to the addresses of the host $2 and writes its servers, at the port $3, to $4. Succeeds when they have changed.
addresses_changed() {
  eval "known=\$$1"
  found=$(addresses_of "$2")
  if [ -z "$found" ] && [ -n "$known" ]; then
    eval "misses=\$((\${$1_misses:-0} + 1)); $1_misses=\$misses"
    [ "$misses" -ge "$patience" ] || return 1
  fi
  eval "$1_misses=0"
  [ "$found" != "$known" ] || return 1
  eval "$1=\$found"
  write_servers "$found" "$3" >"$4"
}
# Succeeds when the addresses may have changed or a service has none. While nothing changes, this is the only process of each second.
lookup_differs() {
  answer=$(getent ahosts "$engine_host" "$auth_sidecar_host") && [ "$answer" = "$last_answer" ] && return 1
  last_answer=$answer
}
last_answer=

# (2) nginx loads a certificate that cert-manager or a Secret renews in place within half a minute.
certificate_seconds=30
certificate_changed() {
  seconds=$((seconds + 1))
  [ "$seconds" -ge "$certificate_seconds" ] || return 1
  seconds=0
  certificate_found=$(cksum "$certificate") || return 1
  [ "$certificate_found" != "$certificate_known" ] || return 1
  certificate_known=$certificate_found
}

# (3) If this loop ends, for example for lack of processes, the gateway stops and is restarted. Otherwise it would serve an expired certificate one day.
follow() {
  trap "kill -QUIT $1" EXIT
  seconds=0
  certificate_known=$(cksum "$certificate")
  while sleep 1; do
    changed=no
    if [ "$follows_names" = yes ] && lookup_differs; then
      if addresses_changed engine_at "$engine_host" "${engine##*:}" /tmp/engine-servers.conf; then changed=yes; fi
      if addresses_changed auth_sidecar_at "$auth_sidecar_host" "${auth_sidecar##*:}" /tmp/auth-sidecar-servers.conf; then changed=yes; fi
    fi
    if certificate_changed; then changed=yes; fi
    if [ "$changed" = yes ]; then kill -HUP "$1"; fi
  done
}
