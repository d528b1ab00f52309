"""Prepared units: unknown, doubled and impossible ids; nothing to prepare (SEMANTICS §4)."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.mark.parametrize("verb", ["commit_prepared", "backout_prepared"])
def test_unknown_id_raises_8021(qm: Any, fails: Any, verb: str) -> None:
    with fails(8021):
        getattr(qm, verb)("never")


def test_resolved_id_is_unknown(qm: Any, queue: str, fails: Any) -> None:
    qm.begin()
    qm.put(queue, b"one")
    qm.prepare("T-1")
    qm.commit_prepared("T-1")

    with fails(8021):
        qm.commit_prepared("T-1")


def test_doubled_id_raises_8022_and_the_unit_stays_open(qm: Any, queue: str, fails: Any) -> None:
    qm.begin()
    qm.put(queue, b"one")
    qm.prepare("T-1")
    qm.begin()
    qm.put(queue, b"two")

    with fails(8022):
        qm.prepare("T-1")
    qm.commit()

    assert [m.body for m in qm.browse(queue)] == [b"two"]
    qm.commit_prepared("T-1")
    assert [m.body for m in qm.browse(queue)] == [b"two", b"one"]


def test_id_may_be_used_again_when_it_is_resolved(qm: Any, queue: str) -> None:
    for body in (b"one", b"two"):
        qm.begin()
        qm.put(queue, body, persistent=True)
        qm.prepare("T-1")
        qm.commit_prepared("T-1")

    assert [m.body for m in qm.browse(queue)] == [b"one", b"two"]


@pytest.mark.parametrize("xid", ["", "x" * 129])
def test_impossible_id_raises_2046(qm: Any, queue: str, fails: Any, xid: str) -> None:
    qm.begin()
    qm.put(queue, b"one")

    with fails(2046):
        qm.prepare(xid)
    qm.backout()

    assert qm.get(queue) is None


def test_prepare_without_a_unit_raises_2046(qm: Any, fails: Any) -> None:
    with fails(2046):
        qm.prepare("T-1")
