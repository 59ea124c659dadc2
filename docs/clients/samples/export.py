"""Writes all updates of a period to a CSV file for a spreadsheet. Needs Python alone.

python3 export.py 2026-01-01T00:00:00 2026-01-02T00:00:00 updates.csv
"""
import csv
import json
import os
import ssl
import sys
import urllib.request

URL = os.environ["ROUTEQL_URL"]
TLS = ssl.create_default_context(cafile=os.environ.get("ROUTEQL_CA_FILE"))
# At most the row limit of your role: viewer 100, analyst and tenant 1,000, operator 10,000.
PAGE = int(os.environ.get("ROUTEQL_PAGE", "100"))
COLUMNS = ["timestamp", "type", "prefix", "origin_as", "peer_asn", "as_path", "service"]
# Updates of one moment have an order too, so each page continues exactly where the last one ended.
ORDER = "{timestamp: asc}, {prefix: asc}, {peer_asn: asc}, {service: asc}, {type: asc}, {as_path: asc}"
QUERY = f"""query Page($from: timestamp!, $to: timestamp!, $limit: Int!, $offset: Int!) {{
  view_bgpupdates(
    where: {{timestamp: {{_gte: $from, _lt: $to}}}}, order_by: [{ORDER}], limit: $limit, offset: $offset
  ) {{ {" ".join(COLUMNS)} }}
}}"""


def post(path: str, body: dict, headers: dict[str, str]) -> dict:
    data = json.dumps(body).encode()
    request = urllib.request.Request(URL + path, data, {"Content-Type": "application/json", **headers})
    with urllib.request.urlopen(request, context=TLS) as reply:
        return json.load(reply)


def updates(start: str, end: str):
    """Every update from start to end. `offset` counts only the updates of the moment at which a page ended."""
    user = {"username": os.environ["ROUTEQL_USER"], "password": os.environ["ROUTEQL_PASSWORD"]}
    headers = {"Authorization": "Bearer " + post("/jwt/auth", user, {})["access_token"]}
    offset = 0
    while True:
        variables = {"from": start, "to": end, "limit": PAGE, "offset": offset}
        reply = post("/api/graphql", {"query": QUERY, "variables": variables}, headers)
        if "errors" in reply:
            raise SystemExit(reply["errors"][0]["message"])
        rows = reply["data"]["view_bgpupdates"]
        yield from rows
        if len(rows) < PAGE:
            return
        last = rows[-1]["timestamp"]
        same = sum(row["timestamp"] == last for row in rows)
        offset = offset + same if last == start else same
        start = last


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
