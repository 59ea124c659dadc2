# shellcheck shell=bash
# Standard input: the SQL after the rows, the SQL before them, a dump. Arguments: the lengths of the first two, own migrations as JSON, keep
# keys, the program of awk. One transaction: only a dump that was read to its end is committed. psql ends a line at a zero byte, awk does not.
after=$(head -c "$1") && {
  head -c "$2" && pg_restore --data-only --exit-on-error --file=- | tr -d '\000' | awk "$5" && printf '%s\n' "$after"
} | psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --set=own="$3" --set=keep_keys="$4" --file=- --output=/dev/null
