"""Aggregations of many instances at once, how their cost grows, and the form of records on queues."""

from __future__ import annotations

import random
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from penstock.flow.aggregation.records import Record, State, decoded
from penstock.flow.running.listener import listener_for
from penstock.model.errors import MQError
from tests.aggregation_fixtures import Trips, fan_out
from tests.counting import steps
from tests.patience import until

if TYPE_CHECKING:
    from penstock.flow import CompiledFlow

INSTANCES = 4


@pytest.mark.parametrize("batch", [1, 100])
def test_instances_that_work_on_the_same_aggregations_lose_and_double_nothing(qm: Any, batch: int) -> None:
    """Their units of work hold each other's aggregations, crosswise: none waits for ever, none gives up."""
    folders = [f"F{n}" for n in range(10)]
    trips = Trips(qm, fan_out(folders))
    requests = trips.begin(40)
    random.Random(1).shuffle(requests)
    for request in requests:
        trips.answer(request, "1")
    stop = threading.Event()
    threads = [
        threading.Thread(target=listen, args=(qm, trips.back, "Replies", batch, stop))
        for _ in range(INSTANCES)
    ]
    for thread in threads:
        thread.start()
    until(lambda: sum(1 for _ in qm.browse("OUT")) >= 40)
    stop.set()
    for thread in threads:
        thread.join()
    assert trips.all("OUT") == [" ".join(f"{folder}=1" for folder in folders)] * 40
    assert trips.all("UNKNOWN") == trips.all("BACKOUT") == []
    assert trips.kept() == {}


def listen(qm: Any, flow: CompiledFlow, label: str, batch: int, stop: threading.Event) -> None:
    listener_for(flow, label, lambda: qm, batch=batch).run(stop)


def test_timers_run_beside_replies(qm: Any) -> None:
    """Trips end while replies to them arrive: each ends once, either way."""
    trips = Trips(qm, fan_out(timeout=0.3))
    stop = threading.Event()
    threads = [
        threading.Thread(target=listen, args=(qm, trips.back, label, 100, stop))
        for label in ("Replies", "AggregateReply", "AggregateReply")
    ]
    for thread in threads:
        thread.start()
    for _ in range(30):
        for request in trips.begin():
            trips.answer(request, "1")
        time.sleep(0.01)
    silent = trips.begin(5)
    until(lambda: not trips.kept())
    stop.set()
    for thread in threads:
        thread.join()
    complete, late = trips.all("OUT"), trips.all("LATE")
    assert len(complete) + len(late) == 35
    assert len(late) >= 5
    assert len(silent) == 10


def test_cost_of_a_reply_does_not_grow_with_the_requests_of_its_aggregation(qm: Any) -> None:
    few, many = (steps_a_reply(qm, trips=200 // size, requests=size) for size in (2, 100))
    assert many < 2 * few


def test_cost_of_a_reply_does_not_grow_with_open_aggregations(qm: Any) -> None:
    few = steps_a_reply(qm, trips=20, requests=2)
    Trips(qm, fan_out(timeout=1000)).begin(500)
    many = steps_a_reply(qm, trips=20, requests=2)
    assert many < 2 * few


def steps_a_reply(qm: Any, trips: int, requests: int) -> float:
    """Return how much work a reply is."""
    work = Trips(qm, fan_out(["F"] * requests))
    for request in work.begin(trips):
        work.answer(request, "1")
    taken = steps(work.collect)
    assert len(work.all("OUT")) == trips
    return taken / (trips * requests)


def test_a_timer_reads_each_record_once(qm: Any) -> None:
    trips = Trips(qm, fan_out(timeout=1000))
    trips.begin(300)
    listener: Any = listener_for(trips.back, "AggregateReply", lambda: qm)
    gets = 0
    get = listener.timeouts.handle.get

    def counted(**options: Any) -> Any:
        nonlocal gets
        gets += 1
        return get(**options)

    listener.timeouts.handle.get = counted
    for _ in range(10):
        listener.step()
    assert gets == 301 + 9  # the end of the queue is looked at each time


def test_records_of_the_first_release_are_read() -> None:
    data = b'{"v":1,"name":"TRIP","expected":2,"received":1,"deadline":0.0}\n'
    record = decoded(State.CONTROL, b"k" * 24, b"g" * 24, True, data)
    assert record.facts == {"name": "TRIP", "expected": 2, "received": 1, "deadline": 0.0}
    assert record.encoded() == data


@pytest.mark.parametrize("data", [b"", b"{}", b"[1]", b'{"v":9}\n', b"\xff\xfe", b"null\nx"])
def test_what_is_no_record_is_refused(data: bytes) -> None:
    with pytest.raises(MQError) as raised:
        decoded(State.CONTROL, b"k" * 24, b"g" * 24, True, data)
    assert raised.value.reason == 8320


def test_a_record_is_what_it_was() -> None:
    record = Record(State.REPLY, b"k" * 24, b"g" * 24, False, {"index": 3, "folder": "Tä\nXI"}, b"\n{}\n")
    assert decoded(State.REPLY, record.key, record.group, False, record.encoded()) == record
