set -e
/usr/libexec/dirsrv/dscontainer -r > /directory/log 2>&1 &
server=$!
for attempt in $(seq 120); do
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
