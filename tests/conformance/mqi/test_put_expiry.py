"""Expiry on put (section 1): 2013, and the cap CAPEXPRY."""

from __future__ import annotations

import time

import pytest

from penstock.model import constants as mq


@pytest.mark.parametrize("expiry", [0, -1.0, -0.1, 1e12])
def test_nonsense_is_refused(qm, queue, fails, expiry):
    with fails(2013):
        qm.put(queue, b"a", expiry=expiry)
    assert qm.get(queue) is None


def test_get_shows_what_remains(qm, queue):
    qm.put(queue, b"a", expiry=3000.0)
    assert 2900.0 < qm.get(queue).expiry <= 3000.0


def test_without_expiry_it_never_expires(qm, queue):
    qm.put(queue, b"a")
    assert qm.get(queue).expiry is None


def test_an_expired_message_is_not_returned(qm, queue):
    qm.put(queue, b"a", expiry=0.001)
    time.sleep(0.01)
    assert qm.get(queue) is None
    with qm.open(queue, mq.MQOO_INQUIRE) as handle:
        assert handle.inquire("CURDEPTH") == {"CURDEPTH": 0}


def test_the_lowest_cap_on_the_path_wins(qm, run):
    run("DEFINE QLOCAL(Q) CUSTOM('CAPEXPRY(60000)')")
    run("DEFINE QALIAS(A) TARGET(Q) CUSTOM('CAPEXPRY(30000)')")
    for name, given, limit in (("Q", None, 6000), ("A", None, 3000), ("A", 500.0, 500), ("Q", 9000.0, 6000)):
        qm.put(name, b"a", expiry=given)
        assert limit - 100 < qm.get("Q").expiry <= limit


def test_a_cap_leaves_existing_messages_alone(qm, queue, run):
    qm.put(queue, b"a")
    run("ALTER QLOCAL(Q) CUSTOM('CAPEXPRY(1)')")
    assert qm.get(queue).expiry is None
