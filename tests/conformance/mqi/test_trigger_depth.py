"""TRIGTYPE(DEPTH) (section 5): when TRIGDPTH messages are there; it switches itself off."""

from __future__ import annotations

import pytest

from penstock.model import constants as mq
from tests.conformance.mqi.trigger_steps import fired, open_monitor


@pytest.fixture
def monitor(qm, run):
    return open_monitor(qm, run, "TRIGTYPE(DEPTH) TRIGDPTH(3)")


def switch(qm):
    with qm.open("Q", mq.MQOO_INQUIRE) as handle:
        return handle.inquire("TRIGGER")["TRIGGER"]


def test_it_fires_with_the_third_message_only(qm, monitor):
    counts = []
    for _ in range(4):
        qm.put("Q", b"a")
        counts.append(fired(monitor))
    assert counts == [0, 0, 1, 0]


def test_it_switches_triggering_off(qm, monitor):
    for _ in range(3):
        qm.put("Q", b"a")
    assert switch(qm) == "NO"


def test_switched_on_again_it_fires_for_what_is_there(qm, monitor):
    for _ in range(3):
        qm.put("Q", b"a")
    fired(monitor)
    with qm.open("Q", mq.MQOO_SET) as handle:
        handle.set(TRIGGER="YES")
    assert fired(monitor) == 1


def test_switched_on_below_the_depth_it_waits(qm, monitor):
    for _ in range(3):
        qm.put("Q", b"a")
    fired(monitor)
    qm.get("Q")
    with qm.open("Q", mq.MQOO_SET) as handle:
        handle.set(TRIGGER="YES")
    assert fired(monitor) == 0
    qm.put("Q", b"a")
    assert fired(monitor) == 1


def test_it_does_not_fire_while_the_queue_is_open_for_input_but_when_it_is_closed(qm, monitor):
    with qm.open("Q", mq.MQOO_INPUT_SHARED):
        for _ in range(3):
            qm.put("Q", b"a")
        assert fired(monitor) == 0
    assert fired(monitor) == 1


def test_uncommitted_messages_count(qm, monitor):
    qm.put("Q", b"a")
    qm.put("Q", b"b")
    with qm.unit_of_work():
        qm.put("Q", b"c")
    assert fired(monitor) == 1
