#!/bin/sh
set -e
# dscontainer imports these files. Without them the certificate names the machine that builds the image.
mkdir -p /data/config /data/tls/ca
ln -s /data/config /etc/dirsrv/slapd-localhost
cd /data/tls
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 730 -subj "/CN=Test directory CA" -keyout ca-key.pem -out ca/ca.crt 2>/dev/null
openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=localhost" -keyout server.key -out request.pem 2>/dev/null
printf 'subjectAltName=DNS:localhost' > names
openssl x509 -req -in request.pem -CA ca/ca.crt -CAkey ca-key.pem -CAcreateserial -days 730 -extfile names -out server.crt 2>/dev/null
/usr/libexec/dirsrv/dscontainer -r > /directory/log 2>&1 &
server=$!
for _ in $(seq 120); do
  if grep -q "container started" /directory/log; then break; fi
  sleep 1
done
configure() { dsconf -D "cn=Directory Manager" -w "$DS_DM_PASSWORD" ldap://localhost:3389 "$@"; }
change() { ldapmodify -c -x -H ldap://localhost:3389 -D "cn=Directory Manager" -w "$DS_DM_PASSWORD" -f "$1" > /directory/changes 2>&1 || { cat /directory/changes; tail /directory/log; exit 1; }; }
configure backend create --suffix "$DS_SUFFIX_NAME" --be-name userroot
change /directory/server.ldif
configure plugin memberof enable
kill "$server"
wait "$server" || true
