"""A committed unit with very many messages is ended in steps; between two of them the process is gone.

Some of its gets are removed and some of its puts are visible by then, others have got of them or put behind
them, and a checkpoint may have been taken. After the restart all of the unit is done, once and in its order.
"""

from __future__ import annotations

import contextvars
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import penstock
from penstock.qmgr import core

pytestmark = pytest.mark.crash
LOG = {"file_pages": 64, "primary_files": 2, "secondary_files": 1}
AT_ONCE, GETS, PUTS = 10, 15, 45


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core, "ENDED_AT_ONCE", AT_ONCE)


@pytest.fixture
def qm(tmp_path: Path) -> Iterator[penstock.QueueManager]:
    qm = penstock.embed("QM1", create=True, home=tmp_path, **LOG)
    qm.mqsc("DEFINE QLOCAL(IN)\nDEFINE QLOCAL(OUT)")
    qm.put_many("IN", [b"in %d" % number for number in range(GETS)], persistent=True)
    unit = contextvars.Context()
    unit.run(qm.begin)
    for number in range(GETS):
        assert unit.run(qm.get, "IN").body == b"in %d" % number
    for number in range(PUTS):
        unit.run(qm.put, "OUT", b"%d" % number, persistent=True)
    engine = qm.engine
    with qm.gate:  # as the server commits: others get in before it is finished
        engine.step.begin()
        engine.commit(next(iter(engine.units.values())), 0.0)
        position = engine.step.end()
    qm.host.journal.wait(position)
    yield qm
    qm.host.abandon()


def step(qm: penstock.QueueManager) -> bool:
    """Take a step of what is on disk; return whether all is finished."""
    with qm.gate:
        return bool(qm.engine.durable(qm.host.journal.durable) >= qm.host.journal.durable)


def restarted(qm: penstock.QueueManager, home: Path) -> list[bytes]:
    """Let the process die; return what is on the queues after the restart."""
    qm.host.abandon()
    with penstock.embed("QM1", home=home) as again:
        assert again.engine.queues["IN"].depth == 0
        return [message.body for message in again.browse("OUT")]


@pytest.mark.parametrize("steps", range(8))
@pytest.mark.parametrize("saved", [False, True], ids=["log", "checkpoint"])
def test_all_of_it_is_there_after_a_restart(qm, tmp_path, steps: int, saved: bool) -> None:
    for number in range(steps):
        assert step(qm) == (number == 6)
    if saved:
        qm.checkpoint()

    assert restarted(qm, tmp_path) == [b"%d" % number for number in range(PUTS)]


@pytest.mark.parametrize("saved", [False, True], ids=["log", "checkpoint"])
def test_what_was_got_of_it_meanwhile_is_gone(qm, tmp_path, saved: bool) -> None:
    for _ in range(4):
        step(qm)
    engine = qm.engine
    with qm.gate:
        engine.step.begin()
        got = engine.take(engine.queues["OUT"], None, None, 0.0)
        position = engine.step.end()
    assert got.body == b"0"
    qm.host.journal.wait(position)
    if saved:
        qm.checkpoint()

    assert restarted(qm, tmp_path) == [b"%d" % number for number in range(1, PUTS)]


def test_a_later_put_stays_behind_it(qm, tmp_path) -> None:
    step(qm)
    qm.put("OUT", b"later", persistent=True)
    assert [message.body for message in qm.browse("OUT")][-2:] == [b"%d" % (PUTS - 1), b"later"]
    assert restarted(qm, tmp_path)[-2:] == [b"%d" % (PUTS - 1), b"later"]


def test_a_call_of_commit_returns_when_all_of_it_is_visible(qm) -> None:
    with qm.unit_of_work():
        qm.put_many("IN", [b""] * PUTS, persistent=False)
    assert qm.engine.queues["IN"].depth == len(list(qm.browse("IN"))) == PUTS


def test_very_many_puts_are_dropped_soon_after_a_backout(qm) -> None:
    unit = contextvars.Context()
    unit.run(qm.begin)
    for _ in range(PUTS):
        unit.run(qm.put, "IN", b"", persistent=True)
    unit.run(qm.backout)
    assert qm.get("IN") is None
    qm.host.housekeeping(time.time())
    assert (qm.engine.queues["IN"].depth, qm.engine.queues["IN"].uncommitted) == (0, 0)
