#!/bin/sh
# Logs in and prints the latest hijacks. ROUTEQL_CA_FILE is needed for a self-signed certificate only.
set -eu
# " and \ of a value for JSON
json() { printf '%s' "$1" | sed 's/["\\]/\\&/g'; }
token=$(curl -sS --fail-with-body --cacert "$ROUTEQL_CA_FILE" "$ROUTEQL_URL/jwt/auth" \
  -H 'Content-Type: application/json' \
  -d "{\"username\":\"$(json "$ROUTEQL_USER")\",\"password\":\"$(json "$ROUTEQL_PASSWORD")\"}" | sed 's/.*"access_token":"\([^"]*\)".*/\1/')

curl -sS --fail-with-body --cacert "$ROUTEQL_CA_FILE" "$ROUTEQL_URL/api/graphql" \
  -H "Authorization: Bearer $token" -H 'Content-Type: application/json' -H 'Accept: application/graphql-response+json' \
  -d '{"query":"{ view_hijacks(limit: 3, order_by: {time_last: desc}) { key prefix hijack_as type } }"}'
