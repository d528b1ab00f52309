"""Prepared units: an outside id, held until somebody decides (SEMANTICS §4, xa_prepare)."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.fixture
def prepared(qm: Any, queue: str) -> str:
    """A prepared unit that got b"old" and put b"new"; its id."""
    qm.put(queue, b"old", persistent=True)
    qm.begin()
    qm.get(queue)
    qm.put(queue, b"new", persistent=True)
    qm.prepare("T-1")
    return "T-1"


def test_prepared_unit_is_listed(qm: Any, queue: str, prepared: str) -> None:
    listed = qm.prepared()

    assert [(unit["xid"], unit["puts"], unit["gets"], unit["queues"]) for unit in listed] == [
        ("T-1", 1, 1, [queue])
    ]


def test_messages_of_a_prepared_unit_are_invisible(qm: Any, queue: str, prepared: str) -> None:
    assert qm.get(queue) is None
    assert list(qm.browse(queue)) == []


def test_context_is_free_for_another_unit(qm: Any, queue: str, prepared: str) -> None:
    with qm.unit_of_work():
        qm.put(queue, b"next")

    assert qm.get(queue).body == b"next"


def test_commit_of_a_prepared_unit(qm: Any, queue: str, prepared: str) -> None:
    qm.commit_prepared(prepared)

    assert [m.body for m in qm.browse(queue)] == [b"new"]
    assert qm.prepared() == []


def test_backout_of_a_prepared_unit(qm: Any, queue: str, prepared: str) -> None:
    qm.backout_prepared(prepared)

    assert [(m.body, m.backout_count) for m in qm.browse(queue)] == [(b"old", 1)]
    assert qm.prepared() == []


def test_anybody_may_resolve(qm: Any, queue: str, prepared: str, spawn: Any) -> None:
    spawn(qm.commit_prepared, prepared).result(60)

    assert qm.get(queue).body == b"new"


def test_close_leaves_a_prepared_unit_prepared(qm: Any, queue: str, prepared: str, embed: Any) -> None:
    qm.close()
    again = embed()

    assert [unit["xid"] for unit in again.prepared()] == [prepared]
    again.commit_prepared(prepared)
    assert again.get(queue).body == b"new"


def test_queue_with_messages_of_a_prepared_unit_is_not_cleared_or_deleted(
    qm: Any, queue: str, prepared: str
) -> None:
    replies = qm.mqsc(f"CLEAR QLOCAL({queue})\nDELETE QLOCAL({queue}) PURGE")

    assert [reply.failed for reply in replies] == [True, True]
    qm.commit_prepared(prepared)
    assert qm.get(queue).body == b"new"
