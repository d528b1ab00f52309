"""A unit whose thread is about to end it when another closes the queue manager does no harm."""

from __future__ import annotations

import time

import pytest

from penstock.face import units
from penstock.qmgr.states import ENDED


@pytest.mark.parametrize("end", ["commit", "backout"])
def test_the_engine_survives_a_unit_that_ends_after_the_close(qm, queue, end):
    qm.put(queue, b"got")
    qm.begin()
    qm.get(queue)
    qm.put(queue, b"put")
    unit = units.current(qm.session).unit

    qm.host.close()
    with qm.gate.anyway:
        getattr(qm.engine, end)(unit, time.time())

    assert unit.state == ENDED


def test_nobody_gets_through_a_closed_gate(qm, queue, fails):
    qm.host.close()

    with fails(2009), qm.gate:  # as a thread that looked whether the connection is open a moment ago
        qm.engine.queues.clear()
