"""Judges announcements by ARTEMIS's own detector, without its services: standard input and output are JSON.

python3 detector.py ARTEMIS ARTEMIS_UTILS
"""

import json
import sys
from unittest.mock import MagicMock

artemis, utilities = sys.argv[1:]

# Queues, caches and databases, which the rules do not use.
for module in (
    "redis ujson kombu kombu.mixins tornado tornado.ioloop tornado.web psycopg2 psycopg2.extras requests pytricia ruamel ruamel.yaml "
    "artemis_utils.rabbitmq artemis_utils.redis artemis_utils.rpki artemis_utils.service artemis_utils.db"
).split():
    sys.modules[module] = MagicMock()
sys.modules["kombu.mixins"].ConsumerProducerMixin = type("ConsumerProducerMixin", (), {})
sys.modules["tornado.web"].RequestHandler = type("RequestHandler", (), {})

# Its log goes to standard output.
answers, sys.stdout = sys.stdout, sys.stderr
sys.path[:0] = [utilities, f"{artemis}/backend-services/detection/core"]
import detection  # noqa: E402

worker = detection.DetectionDataWorker.__new__(detection.DetectionDataWorker)
worker.gen_implicit_withdrawal = worker.mark_handled = lambda event: None
verdicts = []


def commit(event, hijacker, dimensions):
    verdicts[-1] = ["|".join(dimensions), hijacker]


worker.commit_hijack = commit
for case in json.load(sys.stdin):
    node = {"prefix": case["prefix"], "timestamp": 1, "data": {"confs": case["rules"]}}
    for message in case["messages"]:
        verdicts.append(None)
        worker.handle_bgp_update({**message, "prefix_node": node, "communities": []})
json.dump(verdicts, answers)
