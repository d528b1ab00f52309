"""TRIGMPRI (section 5): messages of lower priority do not count."""

from __future__ import annotations

import pytest

from penstock.model import constants as mq
from tests.conformance.mqi.trigger_steps import fired, open_monitor


@pytest.fixture
def monitor(qm, run):
    return open_monitor(qm, run, "TRIGTYPE(FIRST) TRIGMPRI(5)")


@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize("order", ["PRIORITY", "FIFO"])
def test_only_messages_that_count_fire(qm, monitor, run, persistent, order):
    run(f"ALTER QLOCAL(Q) MSGDLVSQ({order})")
    counts = []
    for priority in (4, 5, 9):
        qm.put("Q", b"a", priority=priority, persistent=persistent)
        counts.append(fired(monitor))
    assert counts == [0, 1, 0]


def test_depth_counts_them_too(qm, monitor, run):
    run("ALTER QLOCAL(Q) TRIGTYPE(DEPTH) TRIGDPTH(2)")
    counts = []
    for priority in (9, 0, 0, 6):
        qm.put("Q", b"a", priority=priority)
        counts.append(fired(monitor))
    assert counts == [0, 0, 0, 1]


def test_uncommitted_messages_count_with_their_priority(qm, monitor):
    with qm.unit_of_work():
        qm.put("Q", b"a", priority=9)
        qm.put("Q", b"b", priority=9)
    assert fired(monitor) == 1


def test_the_close_of_a_getter_fires_only_for_messages_that_count(qm, monitor):
    with qm.open("Q", mq.MQOO_INPUT_SHARED):
        qm.put("Q", b"a", priority=4)
    assert fired(monitor) == 0
    with qm.open("Q", mq.MQOO_INPUT_SHARED):
        qm.put("Q", b"a", priority=5)
    assert fired(monitor) == 1
