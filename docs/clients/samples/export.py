"""Writes all updates of a period to a CSV file for a spreadsheet. Needs Python alone.

python3 export.py 2026-01-01T00:00:00 2026-01-02T00:00:00 updates.csv
"""
import csv
import http.client
import itertools
import json
import os
import random
import ssl
import sys
import time
import urllib.error
import urllib.request

URL = os.environ["ROUTEQL_URL"]
TLS = ssl.create_default_context(cafile=os.environ.get("ROUTEQL_CA_FILE"))
# At most the row limit of your role, see docs/reference/permissions.md.
PAGE = int(os.environ.get("ROUTEQL_PAGE", "100"))
COLUMNS = ["timestamp", "type", "prefix", "origin_as", "peer_asn", "as_path", "service"]
# Rows that are equal in all these columns are equal in every column of COLUMNS.
ORDER = ["timestamp", "prefix", "peer_asn", "service", "type", "as_path"]
QUERY = f"""query Page($where: view_bgpupdates_bool_exp!, $limit: Int!, $offset: Int!) {{
  view_bgpupdates(
    where: $where, order_by: [{", ".join(f"{{{column}: asc}}" for column in ORDER)}], limit: $limit, offset: $offset
  ) {{ {" ".join(COLUMNS)} }}
}}"""


def post(path: str, body: dict, headers: dict[str, str]) -> dict:
    """The reply's JSON. Repeats the request after a pause while the server is busy or cannot be reached."""
    data = json.dumps(body).encode()
    request = urllib.request.Request(URL + path, data, {"Content-Type": "application/json", **headers})
    for attempt in itertools.count():
        wait = 0.0
        try:
            with urllib.request.urlopen(request, context=TLS, timeout=120) as reply:
                return json.load(reply)
        except urllib.error.HTTPError as error:
            if error.code not in (429, 502, 503, 504):
                raise SystemExit(f"{path} answered {error.code}: {error.read().decode()}") from error
            wait = float(error.headers.get("Retry-After", "0"))
            print(f"{path} answered {error.code}, trying again", file=sys.stderr)
        except (OSError, http.client.HTTPException) as error:
            print(f"{path}: {error}, trying again", file=sys.stderr)
        time.sleep(wait + random.uniform(0.5, min(60, 2 ** (attempt + 1))))


def authorization() -> dict[str, str]:
    user = {"username": os.environ["ROUTEQL_USER"], "password": os.environ["ROUTEQL_PASSWORD"]}
    return {"Authorization": "Bearer " + post("/jwt/auth", user, {})["access_token"]}


def position(row: dict) -> list[dict]:
    """Conditions for the row itself, for the rows equal to it, and for all rows after it."""
    equal, conditions = {}, []
    for column in ORDER:
        value = row[column]
        if value is not None:
            conditions.append({**equal, column: {"_gt": value}})
            # Null comes last in the order.
            if column == "peer_asn":
                conditions.append({**equal, column: {"_is_null": True}})
        equal[column] = {"_is_null": True} if value is None else {"_eq": value}
    return [*conditions, equal]


def updates(start: str, end: str):
    """Every update from start to end, in the order of ORDER. `offset` counts only rows that are equal to the last one."""
    headers, last, offset = authorization(), None, 0
    is_new_token = True
    while True:
        period = {"timestamp": {"_gte": last["timestamp"] if last else start, "_lt": end}}
        where = {**period, "_or": position(last)} if last else period
        variables = {"where": where, "limit": PAGE, "offset": offset}
        reply = post("/api/graphql", {"query": QUERY, "variables": variables}, headers)
        if "errors" in reply:
            error = reply["errors"][0]
            if error["extensions"]["code"] != "invalid-jwt" or is_new_token:
                raise SystemExit(error["message"])
            # A long walk outlives its token.
            headers, is_new_token = authorization(), True
            continue
        is_new_token = False
        rows = reply["data"]["view_bgpupdates"]
        # A page can be short because of the role's row limit. Only an empty page is the end.
        if not rows:
            return
        for row in rows:
            offset = offset + 1 if row == last else 1
            last = row
            yield row


if __name__ == "__main__":
    start, end, path = sys.argv[1:]
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        count = 0
        for row in updates(start, end):
            writer.writerow({**row, "as_path": " ".join(map(str, row["as_path"]))})
            count += 1
    print(f"{count} updates in {path}")
