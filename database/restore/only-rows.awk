# Passes rows on, drops what a dump always contains, and fails on any other line. The dump's own names for partitions become new tables,
# which get their indexes after their rows. The end of the rows is recognised exactly as psql recognises it.
BEGIN { name = "([a-z_0-9]+|\"[ !#-&(-~]+\")" }
function refuse() { print "The file contains SQL that no backup contains: " substr($0, 1, 200) >"/dev/stderr"; exit 3 }
copying { print; if ($0 ~ /^\\\.\r?$/) copying = 0; next }
/^COPY "?(pg_|information_schema|hdb_catalog)/ { refuse() }
$0 ~ "^COPY " name "\\." name " \\(" name "(, " name ")*\\) FROM stdin;$" {
  if ($2 ~ /^routing\.bgp_updates_[0-9]+$/) print "create table " $2 " (like routing.bgp_updates including all excluding indexes);"
  print; copying = 1; next
}
/^SELECT pg_catalog\.setval\('routing\.listening_[0-9a-f]+_*', 1, (true|false)\);$/ { next }
$0 ~ "^SELECT pg_catalog\\.setval\\('" name "\\." name "', -?[0-9]+, (true|false)\\);$" { print; next }
/^$|^--|^SET [a-z_]+ = [^;]*;$|^SELECT pg_catalog\.set_config\('search_path', '', false\);$|^\\(un)?restrict [A-Za-z0-9]+$/ { next }
{ refuse() }
