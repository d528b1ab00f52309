"""The program of `bytewax_flow`, run by a Python that has Bytewax: nothing of Penstock is imported here.

The work on a message is that of `tests.bench.flow_inline`, written once more because this environment has
lxml and redis alone.
"""

import json
import sys

import bytewax.operators as op
import redis
from bytewax.dataflow import Dataflow
from bytewax.inputs import DynamicSource, StatelessSourcePartition
from bytewax.outputs import DynamicSink, StatelessSinkPartition
from bytewax.testing import run_main
from lxml import etree

READ = 200


class List(StatelessSourcePartition):
    def __init__(self, connection):
        self.connection = connection

    def next_batch(self):
        return self.connection.lpop("in", READ) or []


class ListSource(DynamicSource):
    def build(self, step_id, worker_index, worker_count):
        return List(redis.Redis(port=PORT))


class Push(StatelessSinkPartition):
    def __init__(self, connection):
        self.connection = connection

    def write_batch(self, items):
        queues = {}
        for queue, body in items:
            queues.setdefault(queue, []).append(body)
        for queue, bodies in queues.items():
            self.connection.rpush(queue, *bodies)


class ListSink(DynamicSink):
    def build(self, step_id, worker_index, worker_count):
        return Push(redis.Redis(port=PORT))


def pass_(body):
    return "OUT", body


def choose(body):
    root = etree.fromstring(body)
    return ("OUT" if float(root.findtext("Total")) > 1000 else "OUT2"), body


def set_(body):
    root = etree.fromstring(body)
    root.find("State").text = "billed"
    return "OUT", etree.tostring(root)


def set_json(body):
    order = json.loads(body)
    order["Order"]["State"] = "billed"
    return "OUT", json.dumps(order).encode()


WORK = {"pass": pass_, "filter": choose, "set": set_, "route": choose, "JSON": set_json}
PORT = int(sys.argv[1])
flow = Dataflow("bench")
op.output("out", op.map("work", op.input("in", flow, ListSource()), WORK[sys.argv[2]]), ListSink())
run_main(flow)
