"""The bridge beside the same work by hand: requests of 1 to 64 KB, both commit modes, a private queue.

By hand means one unit of work for each request: get, call the function, put the reply, commit. In commit mode
0 the bridge has two units (the reply waits on an outbox), by hand it has one: that is the price of a reply
that no crash loses or repeats. The published report measured the IMS bridge with 2 KB; there is no shared
queue here yet.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

from penstock.bridge.program import Program
from penstock.bridge.running import QUEUES
from penstock.bridge.settings import Settings
from penstock.bridge.worker import Worker
from penstock.flow.aggregation.on_queues import define_missing
from penstock.lab.analysis.results import Result, Row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.lab.load.setting import Setting

SIZES = (1024, 2048, 16_384, 65_536)


def measure(setting: Setting) -> Iterator[Result]:
    count = setting.size(500, 100)
    with setting.queue_manager("IN", "REPLY") as qm:
        define_missing(qm, QUEUES)
        for size in SIZES[::3] if setting.quick else SIZES:
            for mode in (0, 1):
                yield compared(setting, qm, mode, b"x" * size, count)


def compared(setting: Setting, qm: Any, mode: int, body: bytes, count: int) -> Row:
    worker = Worker(qm, "IN", Program(upper), Settings(commit_mode=mode))
    values = setting.interleave(
        lambda: timed(qm, body, count, lambda: worker.run(threading.Event(), until_empty=True)),
        lambda: timed(qm, body, count, lambda: by_hand(qm)),
    )
    name = f"bridge, commit mode {mode}, {len(body) // 1024} KB, persistent"
    return Row(name, "one unit by hand", "ns", *values)


def upper(body: bytes) -> bytes:
    return body.upper()


def by_hand(qm: Any) -> None:
    while True:
        with qm.unit_of_work():
            asked = qm.get("IN")
            if asked is None:
                return
            qm.put("REPLY", upper(asked.body), correl_id=asked.msg_id, persistent=asked.persistent)


def timed(qm: Any, body: bytes, count: int, work: Any) -> float:
    """Return the nanoseconds of a request."""
    for _ in range(count):
        qm.put("IN", body, persistent=True, reply_to="REPLY")
    began = time.perf_counter()
    work()
    taken = (time.perf_counter() - began) * 1e9 / count
    replies = 0
    while found := qm.get_many("REPLY", 1000):
        replies += len(found)
    assert replies == count
    return taken
