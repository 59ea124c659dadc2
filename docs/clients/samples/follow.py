"""Prints every update, as it is loaded: python3 follow.py [POSITION]

Each line has its position: a new run continues after the last one. A changed update comes again with the same key and a new position.
"""
import json
import os
import random
import sys
import time

from export import PAGE, authorization, post

PAUSE = float(os.environ.get("ROUTEQL_PAUSE_SECONDS", "10"))
QUERY = """query Follow($position: bigint!, $limit: Int!) {
  view_bgpupdates_log(where: {position: {_gt: $position}}, order_by: {position: asc}, limit: $limit) {
    position generation key timestamp type prefix origin_as peer_asn as_path service
  }
}"""


def follow(position: int):
    """Every row after a position. The end of the process is the end of this walk."""
    headers = authorization()
    while True:
        variables = {"position": position, "limit": PAGE}
        reply = post("/api/graphql", {"query": QUERY, "variables": variables}, headers)
        if "errors" in reply:
            error = reply["errors"][0]
            if error["extensions"]["code"] != "invalid-jwt":
                raise SystemExit(error["message"])
            print(error["message"], file=sys.stderr)
            # A retired key ends the tokens of all clients at once.
            time.sleep(random.uniform(0, PAUSE))
            headers = authorization()
            continue
        rows = reply["data"]["view_bgpupdates_log"]
        for row in rows:
            position = row["position"]
            yield row
        if not rows:
            time.sleep(PAUSE)


if __name__ == "__main__":
    for update in follow(int(sys.argv[1]) if len(sys.argv) > 1 else 0):
        print(json.dumps(update), flush=True)
