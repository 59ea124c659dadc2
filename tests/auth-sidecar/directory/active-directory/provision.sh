set -e
mkdir /domain
samba-tool domain provision --realm=EXAMPLE.NET --domain=EXAMPLE --host-name=dc1 --server-role=dc --dns-backend=NONE \
  --adminpass=Directory-Root-1 --targetdir=/domain --option=posix:eadb=/domain/eadb.tdb > /domain/log 2>&1 || { tail /domain/log; exit 1; }
ldbadd -H /domain/private/sam.ldb /directory/entries.ldif
for name in routeql ada ben cy dot; do
  samba-tool user setpassword "$name" --newpassword="$name has a Password 1" -H /domain/private/sam.ldb
  samba-tool user enable "$name" -H /domain/private/sam.ldb
done
