#!/bin/sh
# The session flow of a trusted backend: log in, get a token, query, log out.
set -eu
# " and \ of a value for JSON
json() { printf '%s' "$1" | sed 's/["\\]/\\&/g'; }
cookies=$(mktemp)
trap 'rm -f "$cookies"' EXIT
auth() {
  curl -sS --fail-with-body --cacert "$ROUTEQL_CA_FILE" --cookie "$cookies" --cookie-jar "$cookies" \
    -H "X-Service-Api-Key: $SERVICE_API_KEY" "$@"
}

auth "$ROUTEQL_URL/api/auth/login/credentials" -H 'Content-Type: application/json' \
  -d "{\"email\":\"$(json "$ROUTEQL_USER")\",\"password\":\"$(json "$ROUTEQL_PASSWORD")\"}"
token=$(auth "$ROUTEQL_URL/api/auth/jwt" | sed 's/.*"access_token":"\([^"]*\)".*/\1/')

curl -sS --fail-with-body --cacert "$ROUTEQL_CA_FILE" "$ROUTEQL_URL/api/graphql" \
  -H "Authorization: Bearer $token" -H 'Content-Type: application/json' \
  -d '{"query":"{ view_bgpupdates(limit: 1, order_by: {timestamp: desc}) { timestamp prefix } }"}'

auth -X DELETE "$ROUTEQL_URL/api/auth/logout"
