"""Aggregation as the broker's performance report measured it: four requests, four replies, one answer.

A fan-out flow, a program that copies requests to replies, a fan-in flow; all in one thread here, so the
rate is what one processor does. The floor moves the same messages in units of the same size by hand and
keeps replies in a dict, which a crash would lose. Then how the cost of a reply grows with the requests of
its aggregation and with the aggregations that are open. Messages a second are answers a second.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple

from penstock.lab.analysis.results import Figures, Result, Row, at_most
from penstock.model import constants as mq
from tests.aggregation_fixtures import Trips, fan_in, fan_out

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.lab.load.setting import Setting

REQUESTS = 4
BATCH = 100
PUBLISHED = {  # (persistent, bytes): messages a second and CPU ms a message; 8 x 750 MHz, 2004
    (False, 1024): (17.60, 50.00),
    (False, 4096): (17.33, 50.77),
    (False, 16384): (17.37, 50.67),
    (False, 65536): (14.23, 48.71),
    (True, 1024): (14.47, 60.83),
}
GROWTH = at_most(2)


class Cost(NamedTuple):
    """What answers cost: seconds by the clock and of the processor, each."""

    seconds: float
    processor: float


def measure(setting: Setting) -> Iterator[Result]:
    table = Figures(
        "Aggregation: 4 requests, 4 replies, 1 answer, in one thread (published: WBIMB V5, 8 x 750 MHz)",
        ("persistent", "bytes", "answers/s", "CPU ms", "published/s", "published CPU ms"),
    )
    with setting.queue_manager() as qm:
        work = Trips(qm, fan_out([f"F{n}" for n in range(REQUESTS)]), fan_in())
        for (persistent, size), (rate, processor) in PUBLISHED.items():
            trips = setting.size(400, 100) if size <= 4096 else setting.size(100, 50)
            body = b"x" * size
            best = min(once(work, trips, body, persistent) for _ in range(setting.repeats))
            table.lines.append(
                [
                    *("yes" if persistent else "no", str(size)),
                    *(f"{1 / best.seconds:,.0f}", f"{best.processor * 1000:.2f}"),
                    *(f"{rate:.2f}", f"{processor:.2f}"),
                ]
            )
        for persistent in (False, True):
            yield beside_a_floor(setting, work, persistent)
    yield table
    yield by_requests(setting)
    yield by_open(setting)


def once(work: Trips, trips: int, body: bytes, persistent: bool) -> Cost:
    """Let trips go through both flows; return the cost of one."""
    qm = work.qm
    qm.put_many("IN", [body] * trips, persistent=persistent)
    began, processor = time.perf_counter(), time.process_time()
    work.fan_out()
    copy(qm)
    work.collect()
    cost = Cost((time.perf_counter() - began) / trips, (time.process_time() - processor) / trips)
    assert empty(qm, "OUT") == trips
    return cost


def copy(qm: Any) -> None:
    """Stand for the other application: copy requests to replies."""
    while True:
        with qm.unit_of_work():
            requests = qm.get_many("REQUESTS", BATCH)
            for request in requests:
                qm.put("REPLIES", request.body, correl_id=request.msg_id, persistent=request.persistent)
        if not requests:
            return


def beside_a_floor(setting: Setting, work: Trips, persistent: bool) -> Row:
    trips, body = setting.size(400, 100), b"x" * 1024
    values = setting.interleave(
        lambda: once(work, trips, body, persistent).seconds * 1e9,
        lambda: by_hand(work.qm, trips, body, persistent) * 1e9,
    )
    kind = "persistent" if persistent else "non-persistent"
    return Row(f"aggregation of 4 replies, 1 KB, {kind}", "the same messages by hand", "ns", *values)


def by_hand(qm: Any, trips: int, body: bytes, persistent: bool) -> float:
    """Move the same messages without flows; return the seconds of a trip."""
    qm.put_many("IN", [body] * trips, persistent=persistent)
    waiting: dict[bytes, list[bytes]] = {}
    began = time.perf_counter()
    while True:
        with qm.unit_of_work():
            started = qm.get_many("IN", BATCH)
            for message in started:
                replies: list[bytes] = []
                for _ in range(REQUESTS):
                    options = {"reply_to": "REPLIES", "msg_type": mq.MQMT_REQUEST}
                    receipt = qm.put("REQUESTS", message.body, persistent=persistent, **options)
                    waiting[receipt.msg_id] = replies
        if not started:
            break
    copy(qm)
    while True:
        with qm.unit_of_work():
            found = qm.get_many("REPLIES", BATCH)
            for reply in found:
                replies = waiting.pop(reply.correl_id)
                replies.append(reply.body)
                if len(replies) == REQUESTS:
                    qm.put("OUT", b" ".join(replies), persistent=persistent)
        if not found:
            break
    seconds = (time.perf_counter() - began) / trips
    assert empty(qm, "OUT") == trips
    return seconds


def by_requests(setting: Setting) -> Row:
    replies = setting.size(2000, 400)
    with setting.queue_manager() as qm:
        values = setting.interleave(
            lambda: reply_ns(qm, replies // 100, 100), lambda: reply_ns(qm, replies, 1)
        )
    return Row("a reply, 100 requests an aggregation", "1 request", "ns", *values, target=GROWTH)


def by_open(setting: Setting) -> Row:
    replies, open_ = setting.size(400, 200), setting.size(10_000, 2_000)
    with setting.queue_manager() as many, setting.queue_manager() as few:
        Trips(many, fan_out(["F", "F"], timeout=3600)).begin(open_)
        Trips(few, fan_out(["F", "F"], timeout=3600)).begin(10)
        values = setting.interleave(
            lambda: reply_ns(many, replies // 2, 2), lambda: reply_ns(few, replies // 2, 2)
        )
    return Row(f"a reply, {open_:,} open aggregations", "10 open", "ns", *values, target=GROWTH)


def reply_ns(qm: Any, trips: int, requests: int) -> float:
    """Return the processor time that the fan-in takes for a reply."""
    work = Trips(qm, fan_out(["F"] * requests))
    for request in work.begin(trips):
        work.answer(request, "1")
    before = time.process_time()
    work.collect()
    spent = time.process_time() - before
    assert empty(qm, "OUT") == trips
    return spent / (trips * requests) * 1e9


def empty(qm: Any, queue: str) -> int:
    """Take everything from a queue; return how much it was."""
    count = 0
    while found := qm.get_many(queue, 1000):
        count += len(found)
    return count
