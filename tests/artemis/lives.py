"""Runs random streams through ARTEMIS's own detector and its own database worker: standard input and output are JSON.

python3 lives.py ARTEMIS ARTEMIS_UTILS

Redis and the tables are held in memory; the SQL of the worker is recognised by its first words.
"""

import datetime
import ipaddress
import json
import os
import sys
import time
from unittest.mock import MagicMock

artemis, utilities = sys.argv[1:]
# No update is too old.
os.environ["HISTORIC"] = "true"

for module in (
    "redis kombu kombu.mixins tornado tornado.ioloop tornado.web psycopg2 psycopg2.extras requests pytricia ruamel ruamel.yaml ujson "
    "artemis_utils.rabbitmq artemis_utils.rpki artemis_utils.service artemis_utils.db"
).split():
    sys.modules[module] = MagicMock()


def dumps(value):
    return json.dumps(value, default=list)


sys.modules["ujson"].dumps = dumps
sys.modules["ujson"].loads = json.loads
sys.modules["kombu.mixins"].ConsumerProducerMixin = type("ConsumerProducerMixin", (), {})
sys.modules["tornado.web"].RequestHandler = type("RequestHandler", (), {})

# Its log goes to standard output.
answers, sys.stdout = sys.stdout, sys.stderr
sys.path[:0] = [utilities, *(f"{artemis}/backend-services/{service}/core" for service in ("detection", "database"))]
import database  # noqa: E402
import detection  # noqa: E402


class Pipeline:
    """Commands that run together at the end."""

    def __init__(self, redis):
        self.redis = redis
        self.commands = []

    def __getattr__(self, command):
        return lambda *values: self.commands.append((command, values))

    def execute(self):
        for command, values in self.commands:
            getattr(self.redis, command)(*values)
        self.commands = []


class Redis:
    """The commands that the services use."""

    def __init__(self):
        self.values = {}

    def pipeline(self):
        return Pipeline(self)

    def get(self, key):
        return self.values.get(key)

    def set(self, key, value, ex=None):
        self.values[key] = str(value).encode()

    def getset(self, key, value):
        before = self.get(key)
        self.set(key, value)
        return before

    def exists(self, key):
        return key in self.values

    def delete(self, key):
        self.values.pop(key, None)

    def lpush(self, key, value):
        self.values.setdefault(key, []).insert(0, value)

    def blpop(self, key, timeout=0):
        values = self.values.get(key)
        if not values:
            return None
        value = values.pop(0)
        if not values:
            del self.values[key]
        return value

    def sadd(self, key, value):
        self.values.setdefault(key, set()).add(str(value))

    def srem(self, key, value):
        self.values.get(key, set()).discard(value)
        if not self.values.get(key):
            self.delete(key)

    def scard(self, key):
        return len(self.values.get(key, ()))

    def sscan_iter(self, key):
        return [value.encode() for value in self.values.get(key, ())]


class Tables:
    def __init__(self):
        self.updates = {}
        self.hijacks = {}

    def execute(self, query, values=()):
        if query.startswith("SELECT DISTINCT ON (hijacks.key)"):
            prefix, _, peer = values
            newest = {}
            for update in self.updates.values():
                if (update["prefix"], update["type"], update["peer"], update["handled"]) != (prefix, "A", peer, True):
                    continue
                for key in update["keys"]:
                    if self.hijacks.get(key, {}).get("active"):
                        newest[key] = max(update["time"], newest.get(key, update["time"]))
            hijacks = [(key, self.hijacks[key], newest[key]) for key in sorted(newest)]
            return [
                [list(h["seen"]), list(h["withdrawn"]), key, h["as"], h["type"], announced, h["last"]]
                for key, h, announced in hijacks
            ]
        if query.startswith("SELECT key, prefix, peer_asn"):
            kind = "A" if "type = 'A'" in query else "W"
            found = [
                (key, u["prefix"], u["peer"], u["keys"], u["time"])
                for key, u in self.updates.items()
                if u["handled"] and u["type"] == kind and u["keys"]
            ]
            return sorted(found, key=lambda row: row[4], reverse=True)
        if query.startswith("UPDATE hijacks SET active=false, dormant=false, resolved=false, withdrawn=true"):
            ended, withdrawn, last, key = values
            self.hijacks[key].update(active=False, ended=ended, withdrawn=withdrawn, last=last)
        elif query.startswith("UPDATE hijacks SET peers_withdrawn=%s, time_last=%s"):
            withdrawn, last, key = values
            self.hijacks[key].update(withdrawn=withdrawn, last=last)
        else:
            raise ValueError(query)

    def execute_values(self, query, rows, page_size=0):
        for row in rows:
            if query.startswith("INSERT INTO hijacks"):
                self.insert_hijack(row)
            elif "array_distinct" in query:
                update = self.updates[row[1]]
                update["handled"] = True
                if row[0] not in update["keys"]:
                    update["keys"].append(row[0])
            elif "array_remove" in query:
                hijack = self.hijacks[row[0]]
                hijack["withdrawn"] = [peer for peer in hijack["withdrawn"] if peer != row[1]]
            elif query.startswith("UPDATE bgp_updates SET handled=true FROM"):
                self.updates[row if isinstance(row, str) else row[0]]["handled"] = True
            else:
                raise ValueError(query)

    def execute_batch(self, query, rows, page_size=0):
        self.execute_values("array_distinct", rows)

    def insert_hijack(self, row):
        key, kind, prefix, hijacker, started, last, configured, seen, infected, annotation = (
            row[at] for at in (0, 1, 2, 3, 6, 7, 17, 20, 22, 23)
        )
        known = self.hijacks.get(key)
        if known is None:
            self.hijacks[key] = {
                "prefix": prefix, "as": hijacker, "type": kind, "active": True, "started": started, "last": last,
                "ended": None, "seen": seen, "withdrawn": [], "infected": infected,
                "configured": configured, "annotation": annotation,
            }  # fmt: skip
        else:
            first, newest = min(known["started"], started), max(known["last"], last)
            known.update(started=first, last=newest, seen=seen, infected=infected, configured=configured, annotation=annotation)


class Clock:
    """Each hijack has a time of detection of its own, which is part of its key."""

    now = 1_000_000_000

    def time(self):
        self.now += 1
        return self.now


detection.time = Clock()
database.shared_memory_locks = MagicMock()


class Message:
    def __init__(self, payload):
        self.payload = payload

    def ack(self):
        pass


class Services:
    """The detector and the database worker of one stream; their messages are passed on at once."""

    def __init__(self, nodes):
        self.nodes = nodes
        self.tables = Tables()
        self.messages = []
        redis = Redis()
        shared = {
            "handle_bgp_withdrawals": [],
            "handled_bgp_entries": [],
            "insert_hijacks_entries": {},
        }
        self.shared = shared
        self.detector = detection.DetectionDataWorker.__new__(detection.DetectionDataWorker)
        self.bulk = database.DatabaseBulkUpdater.__new__(database.DatabaseBulkUpdater)
        self.worker = database.DatabaseDataWorker.__new__(database.DatabaseDataWorker)
        for service in (self.detector, self.bulk, self.worker):
            service.redis = redis
            service.ro_db = service.wo_db = self.tables
            service.shared_memory_manager_dict = shared
            service.connection = service.rtrmanager = None
            service.producer = self
            for name in ("update_exchange", "handled_exchange", "hijack_exchange", "hijack_hashing", "hijack_notification_exchange"):
                setattr(service, name, name)
        self.detector.publish_hijack_fun = self.detector.publish_hijack_result_production

    def publish(self, payload, exchange=None, routing_key=None, **_):
        self.messages.append((exchange, routing_key, json.loads(dumps(payload))))

    def node(self, prefix):
        network = ipaddress.ip_network(prefix)
        around = [node for node in self.nodes if network.subnet_of(ipaddress.ip_network(node["prefix"]))]
        nearest = max(around, key=lambda node: ipaddress.ip_network(node["prefix"]).prefixlen)
        return {"prefix": nearest["prefix"], "timestamp": 1, "data": {"confs": nearest["rules"]}}

    def take(self, update):
        key = str(len(self.tables.updates))
        self.tables.updates[key] = {
            "prefix": update["prefix"], "peer": update["peer_asn"], "type": update["type"],
            "time": datetime.datetime.fromtimestamp(update["timestamp"]), "handled": False, "keys": [],
        }  # fmt: skip
        event = {"communities": [], **update, "key": key, "service": "random", "prefix_node": self.node(update["prefix"])}
        self.detector.handle_bgp_update(event)
        withdrawals = []
        for exchange, routing_key, payload in self.messages:
            if (exchange, routing_key) == ("update_exchange", "withdraw"):
                self.worker.handle_withdraw_update(Message(payload))
            elif (exchange, routing_key) == ("update_exchange", "update"):
                # RouteQL's correct announcement ends a hijack at its own time, without the second that is added here.
                withdrawals.append({**payload, "timestamp": payload["timestamp"] - 1})
            elif exchange == "handled_exchange":
                self.shared["handled_bgp_entries"].append(payload)
            elif exchange == "hijack_hashing":
                self.worker.handle_hijack_update(Message(payload))
        self.messages.clear()
        self.bulk._update_bgp_updates()
        self.bulk._insert_update_hijacks()
        self.bulk._handle_bgp_withdrawals()
        for withdrawal in withdrawals:
            self.take({name: withdrawal[name] for name in ("type", "prefix", "path", "timestamp", "peer_asn")})

    def state(self):
        def seconds(moment):
            return None if moment is None else int(moment.timestamp())

        return [
            [h["prefix"], h["as"], h["type"], h["active"], seconds(h["started"]), seconds(h["last"]), seconds(h["ended"]),
             *(sorted(h[peers]) for peers in ("seen", "withdrawn", "infected")), h["configured"], h["annotation"]]
            for h in self.tables.hijacks.values()
        ]  # fmt: skip


database.Producer = MagicMock()
states = []
for case in json.load(sys.stdin):
    services = Services(case["nodes"])
    for message in case["messages"]:
        services.take(message)
        states.append(services.state())
json.dump(states, answers)
