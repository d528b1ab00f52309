"""Reports with data on messages whose body is on disk: it is read first."""

from __future__ import annotations

import time

import pytest

from penstock.model import constants as mq

WANTED = {"report": mq.MQRO_EXPIRATION_WITH_FULL_DATA, "reply_to": "R", "expiry": 60.0}


@pytest.fixture
def full(spilling, spilled):
    spilling.mqsc("DEFINE QLOCAL(R)")
    for number in range(70):
        spilling.put("Q", b"x" * 1000, persistent=number % 2 == 0, **WANTED)
    assert spilled(spilling) > 0
    let_expire(spilling)
    return spilling


def let_expire(qm):
    """Do to the messages on Q what the clock would, at once."""
    with qm.gate:
        queue = qm.engine.queues["Q"]
        queue.earliest_expiry = time.time()
        for message in queue.messages():
            message.expires_at = queue.earliest_expiry


def scan(qm):
    for _ in range(4):
        qm.host.housekeeping(time.time() + 100)


def lengths(qm, until):
    found = []

    def all_there():
        found.extend(message.length for message in qm.get_many("R", 100))
        return len(found) >= 70

    until(all_there)
    return found


def test_a_get_that_meets_them_reports_with_data(full, until):
    assert full.get("Q") is None
    assert lengths(full, until) == [1000] * 70


def test_the_scan_reports_with_data(full, until):
    scan(full)
    assert lengths(full, until) == [1000] * 70


def test_a_browse_that_meets_them_leaves_the_reports_to_the_scan(full, until):
    assert list(full.browse("Q")) == []
    scan(full)
    assert lengths(full, until) == [1000] * 70


def test_a_flow_that_meets_them_leaves_the_reports_to_the_scan(full, until):
    epoch = full.batches.new_epoch("flow")
    assert full.batches.reserve("flow", "Q", after=0, epoch=epoch)["rows"] == 0
    scan(full)
    assert lengths(full, until) == [1000] * 70
