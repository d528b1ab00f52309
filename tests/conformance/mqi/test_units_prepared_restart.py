"""Prepared units survive crashes and restarts until they are resolved (SEMANTICS §4)."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.fixture
def make(embed: Any) -> Any:
    """Prepare T-1 (gets b"old", puts b"new" twice) on a fresh queue manager; return it."""

    def prepare(persistent: bool = True) -> Any:
        qm = embed()
        qm.mqsc("DEFINE QLOCAL(Q)")
        qm.put("Q", b"old", persistent=persistent)
        qm.put("Q", b"rest", persistent=True)
        qm.begin()
        qm.get("Q")
        qm.put("Q", b"new 1", persistent=persistent)
        qm.put("Q", b"new 2", persistent=persistent)
        qm.prepare("T-1")
        return qm

    return prepare


@pytest.mark.parametrize("checkpoints", [0, 1, 2])
@pytest.mark.parametrize("commit", [True, False])
def test_unit_is_prepared_after_crashes_and_can_be_resolved(
    make: Any, embed: Any, checkpoints: int, commit: bool
) -> None:
    qm = make()
    for _ in range(checkpoints):
        qm.checkpoint()
    qm.host.abandon()
    qm = embed()
    qm.host.abandon()
    qm = embed()
    assert [m.body for m in qm.browse("Q")] == [b"rest"]
    assert qm.engine.queues["Q"].depth == 3

    (qm.commit_prepared if commit else qm.backout_prepared)("T-1")

    expected = [(b"rest", 0), (b"new 1", 0), (b"new 2", 0)] if commit else [(b"old", 1), (b"rest", 0)]
    assert [(m.body, m.backout_count) for m in qm.browse("Q")] == expected
    qm.host.abandon()
    qm = embed()
    assert [(m.body, m.backout_count) for m in qm.browse("Q")] == expected
    assert qm.prepared() == []


def test_getter_that_waits_gets_the_body_of_a_unit_prepared_before_the_restart(
    make: Any, embed: Any, spawn: Any, until: Any
) -> None:
    qm = make()
    qm.checkpoint()
    qm.close()
    qm = embed()
    assert qm.get("Q").body == b"rest"
    waiter = spawn(qm.get, "Q", wait=120.0)
    until(lambda: qm.engine.queues["Q"].waiting and qm.engine.queues["Q"].waiting.count)

    qm.commit_prepared("T-1")

    assert waiter.result(60).body == b"new 1"
    assert qm.get("Q").body == b"new 2"


def test_non_persistent_messages_of_a_prepared_unit_are_lost_with_the_process(make: Any, embed: Any) -> None:
    qm = make(persistent=False)
    qm.host.abandon()
    qm = embed()

    assert [(unit["puts"], unit["gets"]) for unit in qm.prepared()] == [(0, 0)]
    qm.commit_prepared("T-1")
    assert [m.body for m in qm.browse("Q")] == [b"rest"]


def test_non_persistent_messages_of_a_prepared_unit_are_there_while_the_process_is(make: Any) -> None:
    qm = make(persistent=False)
    qm.commit_prepared("T-1")

    assert [m.body for m in qm.browse("Q")] == [b"rest", b"new 1", b"new 2"]


def test_prepared_get_of_a_kept_non_persistent_message_does_not_return_after_a_clean_stop(embed: Any) -> None:
    qm = embed()
    qm.mqsc("DEFINE QLOCAL(Q) NPMCLASS(HIGH)")
    qm.put("Q", b"got", persistent=False)
    qm.put("Q", b"stays", persistent=False)
    qm.begin()
    qm.get("Q")
    qm.prepare("T-1")
    qm.close()
    qm = embed()

    assert [m.body for m in qm.browse("Q")] == [b"stays"]
    qm.commit_prepared("T-1")
    assert [m.body for m in qm.browse("Q")] == [b"stays"]
