"""TRIGTYPE(FIRST) (section 5): when a message comes to an empty queue."""

from __future__ import annotations

import pytest

from penstock.model import constants as mq
from tests.conformance.mqi.trigger_steps import fired, open_monitor


@pytest.fixture
def monitor(qm, run):
    return open_monitor(qm, run, "TRIGTYPE(FIRST)")


@pytest.mark.parametrize("persistent", [False, True])
def test_the_first_message_fires_and_the_next_do_not(qm, monitor, persistent):
    for _ in range(3):
        qm.put("Q", b"a", persistent=persistent)
    assert fired(monitor) == 1


def test_after_the_queue_was_emptied_it_fires_again(qm, monitor):
    qm.put("Q", b"a")
    qm.get("Q")
    qm.put("Q", b"b")
    assert fired(monitor) == 2


def test_it_does_not_fire_while_the_queue_is_open_for_input(qm, monitor):
    with qm.open("Q", mq.MQOO_INPUT_SHARED) as server:
        qm.put("Q", b"a")
        assert fired(monitor) == 0
        server.get()
    assert fired(monitor) == 0


def test_browsers_and_putters_do_not_hold_it_back(qm, monitor):
    with qm.open("Q", mq.MQOO_BROWSE | mq.MQOO_OUTPUT) as other:
        other.put(b"a")
    assert fired(monitor) == 1


def test_notrigger_does_not_fire(qm, monitor, run):
    run("ALTER QLOCAL(Q) NOTRIGGER")
    qm.put("Q", b"a")
    assert fired(monitor) == 0


def test_trigtype_none_does_not_fire(qm, monitor, run):
    run("ALTER QLOCAL(Q) TRIGTYPE(NONE)")
    qm.put("Q", b"a")
    assert fired(monitor) == 0
