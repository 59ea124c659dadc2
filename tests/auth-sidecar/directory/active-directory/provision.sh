#!/bin/sh
set -e
mkdir /domain
samba-tool domain provision --realm=EXAMPLE.NET --domain=EXAMPLE --host-name=dc1 --server-role=dc --dns-backend=NONE \
  --adminpass=Directory-Root-1 --targetdir=/domain --option=posix:eadb=/domain/eadb.tdb > /domain/log 2>&1 || { tail /domain/log; exit 1; }
ldbadd -H /domain/private/sam.ldb /directory/entries.ldif
for name in routeql ada ben cy dot eve fay; do
  samba-tool user setpassword "$name" --newpassword="$name has a Password 1" -H /domain/private/sam.ldb
  samba-tool user enable "$name" -H /domain/private/sam.ldb
done
# A member whose group becomes its primary one is no longer among the members of the group.
primary_group() {
  number=$(ldbsearch -H /domain/private/sam.ldb "(sAMAccountName=$2)" objectSid | sed -n 's/^objectSid: .*-//p')
  printf 'dn: CN=%s,OU=Staff,DC=example,DC=net\nchangetype: modify\nreplace: primaryGroupID\nprimaryGroupID: %s\n' "$1" "$number" |
    ldbmodify -H /domain/private/sam.ldb
}
primary_group Eve "RouteQL Analysts"
primary_group Fay Munich
