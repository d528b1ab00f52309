"""An uncommitted get: gone for others, out of CURDEPTH, back in its place after a backout (SEMANTICS §4)."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.mark.parametrize("persistent", [True, False])
def test_uncommitted_get_is_invisible_to_everybody(qm: Any, queue: str, spawn: Any, persistent: bool) -> None:
    qm.put(queue, b"one", persistent=persistent)
    with qm.unit_of_work():
        qm.get(queue)

        assert spawn(qm.get, queue).result(60) is None
        assert spawn(lambda: list(qm.browse(queue))).result(60) == []
        assert qm.get(queue) is None
        assert qm.engine.queues[queue].depth == 0

    assert qm.get(queue) is None


@pytest.mark.parametrize("persistent", [True, False])
def test_backout_returns_the_message_to_its_place(qm: Any, queue: str, persistent: bool) -> None:
    for body in (b"1", b"2", b"3"):
        qm.put(queue, body, persistent=persistent)
    qm.begin()
    assert [qm.get(queue).body, qm.get(queue).body] == [b"1", b"2"]
    qm.backout()

    found = [(m.body, m.backout_count) for m in qm.browse(queue)]
    assert found == [(b"1", 1), (b"2", 1), (b"3", 0)]


def test_backout_may_pass_maxdepth(qm: Any, queue: str, run: Any, fails: Any) -> None:
    run(f"ALTER QLOCAL({queue}) MAXDEPTH(1)")
    qm.put(queue, b"old")
    qm.begin()
    qm.get(queue)
    with_room = qm.put(queue, b"new", options=4)  # MQPMO_NO_SYNCPOINT
    qm.backout()

    assert with_room.msg_id
    assert qm.engine.queues[queue].depth == 2
    with fails(2053):
        qm.put(queue, b"no room")


def test_message_returned_by_a_backout_goes_to_who_waits(qm: Any, queue: str, spawn: Any, until: Any) -> None:
    qm.put(queue, b"one")
    qm.begin()
    qm.get(queue)
    waiter = spawn(qm.get, queue, wait=120.0)
    until(lambda: qm.engine.queues[queue].waiting and qm.engine.queues[queue].waiting.count)

    qm.backout()

    assert waiter.result(60).body == b"one"


def test_message_handed_out_by_a_unit_is_not_changed_by_its_backout(qm: Any, queue: str) -> None:
    qm.put(queue, b"one")
    qm.begin()
    message = qm.get(queue)
    qm.backout()

    assert message.backout_count == 0
    assert qm.get(queue).backout_count == 1
