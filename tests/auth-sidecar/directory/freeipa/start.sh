#!/bin/sh
set -e
: > /directory/start-log
/usr/libexec/dirsrv/dscontainer -r > /directory/start-log 2>&1 &
server=$!
trap 'kill "$server"' TERM
until grep -q "container started" /directory/start-log; do sleep 0.2; done
if ! ldapsearch -LLL -x -H ldap://localhost:3389 -D "cn=Directory Manager" -w "$DS_DM_PASSWORD" -s base -b "$DS_SUFFIX_NAME" dn >/dev/null 2>&1; then
  ldapmodify -x -H ldap://localhost:3389 -D "cn=Directory Manager" -w "$DS_DM_PASSWORD" -f /directory/entries.ldif
fi
echo "directory ready"
wait "$server"
