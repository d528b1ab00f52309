"""A put and a get of one message, embedded and non-persistent, against `queue.SimpleQueue`.

The floor is the cheapest way to hand an object from thread to thread in Python, and does nothing
else: no ids, no descriptor, no definitions, no units. Both loops are plain Python. Neither side ever
waits, so the thread's processor time is what is measured, and neighbours disturb it less. Further rows
show whether the cost grows with the depth of the queue or the length of the body.
"""

from __future__ import annotations

import queue
from functools import partial
from time import thread_time
from typing import TYPE_CHECKING

from penstock.lab.analysis.results import Result, Row, at_most

if TYPE_CHECKING:
    from collections.abc import Iterator

    import penstock
    from penstock.lab.load.setting import Setting

TARGET = at_most(8)
TIMES = 5
LENGTHS = (50, 64 << 10)
KILOBYTE = bytes(1024)
BUFFER_BYTES = 1 << 34  # so that depth alone is measured, not spilling


def measure(setting: Setting) -> Iterator[Result]:
    pairs = setting.size(60_000, 20_000)
    with setting.queue_manager("EMPTY", "DEEP", default_q_buffer_size=BUFFER_BYTES) as qm:
        usual = partial(our_pair, qm, "EMPTY", KILOBYTE, pairs)
        usual()
        values = setting.interleave(usual, partial(floor_pair, KILOBYTE, pairs), times=TIMES)
        yield Row("put + get pair, 1 KB", "SimpleQueue pair", "ns", *values, target=TARGET)
        for length in LENGTHS:
            body = bytes(length)
            values = setting.interleave(partial(our_pair, qm, "EMPTY", body, pairs), usual, times=TIMES)
            yield Row(f"the same, body of {length:,} bytes", "body of 1 KB", "ns", *values)
        for depth in (1_000, setting.size(1_000_000, 100_000)):
            deepen(qm, "DEEP", depth)
            values = setting.interleave(partial(our_pair, qm, "DEEP", KILOBYTE, pairs), usual, times=TIMES)
            yield Row(f"the same, {depth:,} messages there", "empty queue", "ns", *values)


def our_pair(qm: penstock.QueueManager, name: str, body: bytes, pairs: int) -> float:
    put, get = qm.put, qm.get
    began = thread_time()
    for _ in range(pairs):
        put(name, body)
        get(name)
    return (thread_time() - began) / pairs * 1e9


def floor_pair(body: bytes, pairs: int) -> float:
    simple: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    put, get = simple.put, simple.get
    began = thread_time()
    for _ in range(pairs):
        put(body)
        get()
    return (thread_time() - began) / pairs * 1e9


def deepen(qm: penstock.QueueManager, name: str, depth: int) -> None:
    with qm.open(name) as handle:
        there = int(handle.inquire("CURDEPTH")["CURDEPTH"])
    for _ in range(depth - there):
        qm.put(name, KILOBYTE)
