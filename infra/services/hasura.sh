#!/bin/sh
# Starts Hasura with the secrets that the files named by <VARIABLE>_FILE hold.
set -eu
for variable in HASURA_GRAPHQL_ADMIN_SECRET HASURA_GRAPHQL_METADATA_DATABASE_URL ROUTEQL_DATABASE_URL; do
  eval "file=\$${variable}_FILE"
  # shellcheck disable=SC2154 # eval sets it.
  value=$(cat "$file")
  export "$variable=$value"
  unset "${variable}_FILE" value
done
exec graphql-engine serve
