#!/bin/sh
set -e
cd /directory/data
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "/CN=Test directory CA" -keyout ca-key.pem -out ca.pem 2>/dev/null
openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=localhost" -keyout key.pem -out request.pem 2>/dev/null
printf 'subjectAltName=DNS:localhost,IP:127.0.0.1%s' "${MORE_NAMES:+,$MORE_NAMES}" > names
openssl x509 -req -in request.pem -CA ca.pem -CAkey ca-key.pem -CAcreateserial -days 2 -extfile names -out certificate.pem 2>/dev/null
slapadd -q -f /directory/slapd.conf -l /directory/entries.ldif
exec slapd -d 0 -f /directory/slapd.conf -h "ldap://0.0.0.0:3890/ ldaps://0.0.0.0:6360/"
