#!/bin/sh
set -e
cd /domain
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "/CN=Test domain CA" -keyout ca-key.pem -out ca.pem 2>/dev/null
openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=localhost" -keyout key.pem -out request.pem 2>/dev/null
printf 'subjectAltName=DNS:localhost,IP:127.0.0.1' > names
openssl x509 -req -in request.pem -CA ca.pem -CAkey ca-key.pem -CAcreateserial -days 2 -extfile names -out certificate.pem 2>/dev/null
chmod 600 key.pem
exec samba --configfile=/domain/etc/smb.conf --foreground --no-process-group --model=single --debug-stdout \
  --option="server services=ldap" --option="tls certfile=/domain/certificate.pem" --option="tls keyfile=/domain/key.pem" --option="tls cafile=/domain/ca.pem" --option="tls enabled=yes"
