"""SEMANTICS 1: an expired message is never returned."""

from __future__ import annotations

import time

from penstock import Get
from penstock.model import constants as mq


def test_a_get_passes_it_by_and_discards_it(qm, queue) -> None:
    qm.put(queue, b"stale", expiry=0.02)
    qm.put(queue, b"fresh")
    time.sleep(0.03)

    assert qm.get(queue).body == b"fresh"
    with qm.open(queue) as handle:
        assert handle.inquire("CURDEPTH")["CURDEPTH"] == 0


def test_a_browse_passes_it_by(qm, queue) -> None:
    qm.put(queue, b"stale", expiry=0.02, priority=9)
    qm.put(queue, b"fresh")
    time.sleep(0.03)

    assert [m.body for m in qm.browse(queue)] == [b"fresh"]


def test_a_keyed_get_and_a_selector_pass_it_by(qm, queue) -> None:
    receipt = qm.put(queue, b"stale", expiry=0.02, correl_id=b"c", properties={"n": 1})
    qm.put(queue, b"stale too", expiry=0.02, properties={"n": 1})
    time.sleep(0.03)

    assert qm.get(queue, msg_id=receipt.msg_id) is None
    assert qm.get(queue, correl_id=b"c") is None
    assert qm.get(queue, selector="n = 1") is None


def test_the_message_under_the_cursor_can_expire(qm, queue, fails, later) -> None:
    qm.put(queue, b"stale", expiry=60.0)
    with qm.open(queue) as handle:
        handle.get(options=Get.BROWSE_FIRST)
        later(120.0)
        with fails(2034):
            handle.get(options=Get.UNDER_CURSOR)


def test_a_locked_message_can_expire(qm, queue, later) -> None:
    qm.put(queue, b"stale", expiry=60.0)
    with qm.open(queue) as handle:
        handle.get(options=Get.BROWSE_FIRST | Get.LOCK)
        later(120.0)
        assert handle.get(options=Get.BROWSE_FIRST, quiet=True) is None


def test_a_message_that_a_unit_got_in_time_stays_got(qm, queue, until) -> None:
    qm.begin()
    message = until(lambda: got_in_time(qm, queue, b"just in time"))
    time.sleep(0.04)
    qm.commit()

    assert message.body == b"just in time"


def test_a_message_that_is_backed_out_too_late_is_not_seen_again(qm, queue, until) -> None:
    qm.begin()
    until(lambda: got_in_time(qm, queue, b"late"))
    time.sleep(0.04)
    qm.backout()

    assert qm.get(queue) is None


def got_in_time(qm, queue, body):
    """Put a message that expires soon and get it in a unit of work; None if that took too long."""
    qm.put(queue, body, expiry=0.03, options=mq.MQPMO_NO_SYNCPOINT)
    return qm.get(queue)


def test_get_many_passes_it_by(qm, queue) -> None:
    qm.put_many(queue, [b"1", b"2"])
    qm.put(queue, b"stale", expiry=0.02, priority=5)
    time.sleep(0.03)

    assert [m.body for m in qm.get_many(queue, 10)] == [b"1", b"2"]
