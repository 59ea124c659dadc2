#!/bin/sh
# Reloads nginx without a lost request when its files, the certificate or the address of a service have changed. start.sh includes this file
# and sets the addresses of the services and the path of the certificate.
# shellcheck disable=SC2154

# (1) A service without an address keeps its last one for three lookups, as a name server may fail for a moment.
patience=3
# Succeeds when the service at the address $1 and the port $2 answers 200 at the path $3.
answers() {
  # shellcheck disable=SC2016 # bash expands them
  timeout 2 bash -c 'exec 3<>"/dev/tcp/$0/$1" && printf "GET $2 HTTP/1.0\r\nHost: localhost\r\n\r\n" >&3 && read -r _ status _ <&3 && [ "$status" = 200 ]' \
    "$1" "$2" "$3" 2>/dev/null
}
line_end='
'
# A new container of a service starts beside the old one. Prints the addresses in $1 that nginx knows ($2) or that answer; all if none does.
ready_addresses() {
  ready=
  for address in $1; do
    case "$line_end$2$line_end" in
      *"$line_end$address$line_end"*) ready="$ready$line_end$address" ;;
      *) if [ -z "$2" ] || answers "$address" "$3" "$4"; then ready="$ready$line_end$address"; fi ;;
    esac
  done
  ready=${ready#"$line_end"}
  printf '%s\n' "${ready:-$1}"
}
# Sets the variable named $1 to the ready addresses of the host $2 and writes its servers, at the port $3, to $4; $5 is the path of the service's
# health check. Succeeds when they have changed.
addresses_changed() {
  eval "known=\$$1"
  every=$(addresses_of "$2")
  found=$(ready_addresses "$every" "$known" "$3" "$5")
  [ "$found" = "$every" ] || last_answer=
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

# (2) The first line of this list is the version of all files, and the others are their checksums: nginx loads a version once it is complete.
manifest=/run/routeql/files.sha256
files_version=none
# Succeeds when there is a complete new version, and writes it for nginx.
files_changed() {
  version=none
  [ ! -r "$manifest" ] || read -r _ version <"$manifest" || return 1
  [ "$version" != "$files_version" ] || return 1
  [ "$version" = none ] || (cd /run/routeql && sha256sum --check --status "$manifest" 2>/dev/null) || return 1
  files_version=$version
  write_version
}
write_version() { echo "return 200 $files_version;" >/tmp/files-version.conf; }

# (3) nginx loads a certificate that cert-manager or a Secret renews in place within half a minute.
certificate_seconds=30
certificate_changed() {
  seconds=$((seconds + 1))
  [ "$seconds" -ge "$certificate_seconds" ] || return 1
  seconds=0
  certificate_found=$(cksum "$certificate") || return 1
  [ "$certificate_found" != "$certificate_known" ] || return 1
  certificate_known=$certificate_found
}

# (4) If this loop ends, for example for lack of processes, the gateway stops and is restarted. Otherwise it would serve an expired certificate one day.
follow() {
  # shellcheck disable=SC2064 # The process id is known here.
  trap "kill -QUIT $1" EXIT
  seconds=0
  certificate_known=$(cksum "$certificate")
  while sleep 1; do
    changed=no
    if lookup_differs; then
      if addresses_changed engine_at "$engine_host" "${engine##*:}" /tmp/engine-servers.conf /healthz; then changed=yes; fi
      if addresses_changed auth_sidecar_at "$auth_sidecar_host" "${auth_sidecar##*:}" /tmp/auth-sidecar-servers.conf /readyz; then changed=yes; fi
    fi
    if certificate_changed; then changed=yes; fi
    if files_changed; then changed=yes; fi
    if [ "$changed" = yes ]; then kill -HUP "$1"; fi
  done
}
