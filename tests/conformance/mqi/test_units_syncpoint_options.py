"""SYNCPOINT begins a unit by itself, NO_SYNCPOINT stays outside one (SEMANTICS §2, §3)."""

from __future__ import annotations

from typing import Any

from penstock.model import constants as mq


def test_put_with_syncpoint_begins_a_unit(qm: Any, queue: str) -> None:
    qm.put(queue, b"one", options=mq.MQPMO_SYNCPOINT)
    assert list(qm.browse(queue)) == []

    qm.commit()

    assert qm.get(queue).body == b"one"


def test_get_with_syncpoint_begins_a_unit(qm: Any, queue: str) -> None:
    qm.put(queue, b"one")
    with qm.open(queue) as handle:
        handle.get(options=mq.MQGMO_SYNCPOINT)
        qm.backout()

        assert handle.get().backout_count == 1


def test_no_syncpoint_inside_a_unit_is_final_at_once(qm: Any, queue: str) -> None:
    qm.begin()
    qm.put(queue, b"one", options=mq.MQPMO_NO_SYNCPOINT)
    qm.backout()

    assert qm.get(queue).body == b"one"


def test_both_options_raise_2046(qm: Any, queue: str, fails: Any) -> None:
    with fails(2046):
        qm.put(queue, b"one", options=mq.MQPMO_SYNCPOINT | mq.MQPMO_NO_SYNCPOINT)


def test_syncpoint_if_persistent(qm: Any, queue: str) -> None:
    qm.put(queue, b"persistent", persistent=True)
    qm.put(queue, b"other", persistent=False)
    with qm.open(queue) as handle:
        for _ in range(2):
            handle.get(options=mq.MQGMO_SYNCPOINT_IF_PERSISTENT)
    qm.backout()

    assert [m.body for m in qm.browse(queue)] == [b"persistent"]
