"""TRIGTYPE(EVERY) (section 5): each message, whoever has the queue open."""

from __future__ import annotations

import pytest

from penstock.model import constants as mq
from tests.conformance.mqi.trigger_steps import fired, open_monitor


@pytest.fixture
def monitor(qm, run):
    return open_monitor(qm, run, "TRIGTYPE(EVERY)")


def test_each_message_fires(qm, monitor):
    for _ in range(3):
        qm.put("Q", b"a")
    assert fired(monitor) == 3


def test_an_open_queue_does_not_hold_it_back(qm, monitor):
    with qm.open("Q", mq.MQOO_INPUT_SHARED):
        qm.put("Q", b"a")
        assert fired(monitor) == 1


def test_the_close_of_the_last_getter_does_not_fire(qm, monitor):
    with qm.open("Q", mq.MQOO_INPUT_SHARED):
        qm.put("Q", b"a")
        fired(monitor)
    assert fired(monitor) == 0


def test_decision_a_monitor_that_comes_late_is_told_once(qm, monitor):
    monitor.close()
    qm.put("Q", b"a")
    qm.put("Q", b"b")
    with qm.open("INIT", mq.MQOO_INPUT_SHARED) as late:
        assert fired(late) == 1


def test_each_message_of_a_unit_fires_at_its_end(qm, monitor):
    with qm.unit_of_work():
        qm.put("Q", b"a")
        qm.put("Q", b"b")
        assert fired(monitor) == 0
    assert fired(monitor) == 2
