"""Prints every update once, as it is loaded: python3 follow.py 2026-01-01T00:00:00

Files arrive late and beside each other, so it reads the last minutes again and again, and drops the rows that it has.
"""
import json
import os
import sys
import time
from collections import Counter
from datetime import datetime, timedelta

from export import updates

# Longer than the time between an update and the end of its load. Rows that are loaded later are missing.
OVERLAP = timedelta(minutes=float(os.environ.get("ROUTEQL_OVERLAP_MINUTES", "10")))
PAUSE = float(os.environ.get("ROUTEQL_PAUSE_SECONDS", "10"))


def follow(start: str):
    """Every update since start. Counts equal rows, because the table can hold an update more than once."""
    have, newest = Counter(), start
    while True:
        back = (datetime.fromisoformat(newest) - OVERLAP).isoformat()
        found = Counter()
        for row in updates(max(start, back), "infinity"):
            identity = json.dumps(row)
            found[identity] += 1
            newest = row["timestamp"]
            if found[identity] > have[identity]:
                yield row
        have = found
        time.sleep(PAUSE)


if __name__ == "__main__":
    for update in follow(sys.argv[1]):
        print(json.dumps(update), flush=True)
