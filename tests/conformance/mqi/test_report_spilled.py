"""Reports with data on messages whose body is on disk: it is read first."""

from __future__ import annotations

import time

import pytest

from penstock.model import constants as mq

WANTED = {"report": mq.MQRO_EXPIRATION_WITH_FULL_DATA, "reply_to": "R", "expiry": 0.05}


@pytest.fixture
def full(spilling, spilled):
    spilling.mqsc("DEFINE QLOCAL(R)")
    for number in range(70):
        spilling.put("Q", b"x" * 1000, persistent=number % 2 == 0, **WANTED)
    assert spilled(spilling) > 0
    time.sleep(0.06)
    return spilling


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
    for _ in range(4):
        full.host.housekeeping(time.time() + 100)
    assert lengths(full, until) == [1000] * 70
