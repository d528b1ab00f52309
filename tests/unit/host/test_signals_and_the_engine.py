"""Compiled steps of the engine say where they call Python functions, so that no signal cuts those off.

What breaks without that: an exception of a signal handler comes in the middle of a put, a get or a commit,
with the message counted and not there, or there and not logged.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import penstock
from penstock.model import constants as mq
from penstock.model._interrupts import engine_is_exposed

pytestmark = pytest.mark.installed

SCRIPT = """
ALTER QMGR PERFMEV(ENABLED) INHIBTEV(ENABLED) LOCALEV(ENABLED)
DEFINE QLOCAL(PLAIN)
DEFINE QALIAS(ALIAS) TARGET(PLAIN)
DEFINE QLOCAL(EVENTS) QDPMAXEV(ENABLED) QDPHIEV(ENABLED) QDEPTHHI(50) MAXDEPTH(2) QSVCIEV(HIGH) QSVCINT(1)
DEFINE QLOCAL(INIT)
DEFINE PROCESS(WORK) APPLICID('work')
DEFINE QLOCAL(TRIGGERED) TRIGGER TRIGTYPE(EVERY) INITQ(INIT) PROCESS(WORK)
DEFINE QLOCAL(CLOSED) GET(DISABLED)
DEFINE QLOCAL(POISON) BOTHRESH(1) BOQNAME(PLAIN)
DEFINE QLOCAL(COPIES)
DEFINE QLOCAL(STREAMED) STREAMQ(COPIES)
DEFINE QLOCAL(REPLIES)
DEFINE TOPIC(FRUIT) TOPICSTR('fruit')
DEFINE SUB(S1) TOPICSTR('fruit/#') DEST(PLAIN) SELECTOR('colour = ''red''')
DEFINE SUB(S2) TOPICSTR('fruit/apple') DEST(PLAIN) USERDATA('x')
DEFINE SUB(S3) TOPICSTR('fruit/apple') DEST(PLAIN) PSPROP(RFH2)
DEFINE SUB(S4) TOPICSTR('fruit/pear') DEST(TRIGGERED)
"""


@pytest.fixture
def qm(tmp_path: Path) -> Iterator[penstock.QueueManager]:
    with penstock.embed("QM1", create=True, home=tmp_path) as made:
        made.mqsc(SCRIPT, check=True)
        yield made


def exposed_in(call: Callable[[], Any]) -> list[str]:
    """Return the Python functions that run inside the engine while handlers may run."""
    found: list[str] = []

    def note(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call" and engine_is_exposed():
            found.append(f"{frame.f_code.co_filename}:{frame.f_code.co_qualname}")

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return found


def fails(reason: int, call: Callable[[], Any]) -> None:
    with pytest.raises(penstock.MQError) as caught:
        call()
    assert caught.value.reason == reason


def plain(qm: penstock.QueueManager) -> None:
    for queue in ("PLAIN", "ALIAS", "TRIGGERED", "STREAMED"):
        for persistent in (False, True):
            qm.put(queue, b"x", persistent=persistent)
            assert qm.get(queue) is not None
    qm.put("PLAIN", b"x", correl_id=b"c" * 24)
    assert qm.get("PLAIN", correl_id=b"c" * 24) is not None
    qm.put("PLAIN", b"x")
    assert qm.get("PLAIN", selector="1 = 1") is not None


def events(qm: penstock.QueueManager) -> None:
    qm.put("EVENTS", b"1")
    qm.put("EVENTS", b"2")
    fails(2053, lambda: qm.put("EVENTS", b"3"))
    fails(2016, lambda: qm.get("CLOSED"))
    fails(2085, lambda: qm.put("UNKNOWN", b"x"))
    while qm.get("EVENTS") is not None:
        pass


def reports(qm: penstock.QueueManager) -> None:
    asked = mq.MQRO_COA | mq.MQRO_COD | mq.MQRO_EXPIRATION
    qm.put("PLAIN", b"x", report=asked, reply_to="REPLIES", persistent=True)
    assert qm.get("PLAIN") is not None
    qm.put("PLAIN", b"x", report=asked, reply_to="REPLIES", expiry=0.1)
    threading.Event().wait(0.3)
    assert qm.get("PLAIN") is None


def units(qm: penstock.QueueManager) -> None:
    for queue in ("PLAIN", "POISON", "TRIGGERED", "STREAMED"):
        with qm.unit_of_work():
            qm.put(queue, b"x", persistent=True)
        for _ in range(2):
            qm.begin()
            qm.get(queue)
            qm.backout()
        with qm.unit_of_work():
            qm.get(queue)


def groups(qm: penstock.QueueManager) -> None:
    with qm.open("PLAIN") as handle:
        for flags in (mq.MQMF_MSG_IN_GROUP, mq.MQMF_LAST_MSG_IN_GROUP):
            handle.put(b"x", options=mq.MQPMO_LOGICAL_ORDER, flags=flags)
        handle.get(options=mq.MQGMO_LOGICAL_ORDER | mq.MQGMO_ALL_MSGS_AVAILABLE)
        qm.put("PLAIN", b"y")
        qm.begin()
        qm.get("PLAIN")
        qm.backout()
        assert qm.get_many("PLAIN", 10)


def waiters(qm: penstock.QueueManager) -> None:
    """Getters in other threads are answered by the put."""
    options = mq.MQGMO_CONVERT | mq.MQGMO_WAIT
    ways: list[Callable[[], Any]] = [
        lambda: qm.get("PLAIN", wait=60.0),
        lambda: qm.get("PLAIN", wait=60.0, selector="1 = 1"),
        lambda: qm.open("PLAIN").get(options=options, wait=60.0),
    ]
    for way in ways:
        getter = threading.Thread(target=way)
        getter.start()
        while not qm.engine.queues["PLAIN"].waiting or not qm.engine.queues["PLAIN"].waiting.count:
            threading.Event().wait(0.001)
        qm.put("PLAIN", b"x")
        getter.join()


def publications(qm: penstock.QueueManager) -> None:
    qm.mqsc("DEFINE SUB(S5) TOPICSTR('fruit/+') DEST(STREAMED)", check=True)
    for topic in ("fruit/apple", "fruit/pear", "vegetable/new", "fruit/apple"):
        qm.publish(topic, b"x")
        qm.publish(topic, b"x", persistent=True)
        with qm.unit_of_work():
            qm.publish(topic, b"x", persistent=True)
    assert qm.get_many("PLAIN", 100)


@pytest.mark.parametrize("what", [plain, events, reports, units, groups, waiters, publications])
def test_no_python_function_of_the_engine_can_be_cut_off(
    qm: penstock.QueueManager, what: Callable[[Any], None]
) -> None:
    assert exposed_in(lambda: what(qm)) == []


def test_the_check_finds_what_it_looks_for(qm: penstock.QueueManager) -> None:
    def careless() -> None:
        qm.gate.acquire()
        try:
            plainly()
        finally:
            qm.gate.release()

    def plainly() -> None:
        """Do nothing."""

    assert [each.rpartition(".")[2] for each in exposed_in(careless)] == ["plainly"]
