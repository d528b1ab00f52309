"""SEMANTICS 4 [K]: what a unit of work sees of its own puts."""

from __future__ import annotations

import time


def test_decision_a_unit_can_get_what_it_put(qm, queue) -> None:
    with qm.unit_of_work():
        qm.put(queue, b"mine", persistent=True)
        assert qm.get(queue).body == b"mine"

    assert qm.get(queue) is None


def test_decision_committed_messages_come_before_own_puts(qm, queue) -> None:
    qm.put(queue, b"committed", priority=0)
    with qm.unit_of_work():
        qm.put(queue, b"mine", priority=9)
        assert [qm.get(queue).body, qm.get(queue).body] == [b"committed", b"mine"]


def test_decision_a_browse_does_not_show_own_puts(qm, queue) -> None:
    with qm.unit_of_work():
        qm.put(queue, b"mine")
        assert list(qm.browse(queue)) == []


def test_ids_and_selectors_find_own_puts(qm, queue) -> None:
    with qm.unit_of_work():
        qm.put(queue, b"a", correl_id=b"a")
        qm.put(queue, b"b", correl_id=b"b", properties={"n": 2})
        assert qm.get(queue, correl_id=b"b", selector="n = 2").body == b"b"
        assert qm.get(queue, correl_id=b"x") is None

    assert qm.get(queue).body == b"a"


def test_nothing_of_a_message_put_and_got_in_the_unit_survives(embed) -> None:
    qm = embed()
    qm.mqsc("DEFINE QLOCAL(Q) DEFPSIST(YES)")
    with qm.unit_of_work():
        qm.put("Q", b"passing")
        qm.put("Q", b"staying")
        qm.get("Q")
    qm.host.abandon()

    again = embed()

    assert [m.body for m in again.browse("Q")] == [b"staying"]


def test_an_own_put_that_has_expired_is_not_got(qm, queue) -> None:
    with qm.unit_of_work():
        qm.put(queue, b"stale", expiry=0.02)
        time.sleep(0.03)
        assert qm.get(queue) is None


def test_others_never_see_it(qm, queue, spawn) -> None:
    with qm.unit_of_work():
        qm.put(queue, b"mine")
        assert spawn(qm.get, queue).result(60) is None
