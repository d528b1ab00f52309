"""Objects that went or came anew between the start of replay and the checkpoint that knows of it."""

from __future__ import annotations

import shutil
from contextvars import Context
from typing import TYPE_CHECKING

import penstock

if TYPE_CHECKING:
    from pathlib import Path


def _crash(qm: penstock.QueueManager, home: Path) -> penstock.QueueManager:
    with qm.host.checkpoint_lock:  # a copy takes longer than a kill: nothing may go away meanwhile
        shutil.copytree(qm.host.folder.path.parent, home, ignore=shutil.ignore_patterns("*.NEW"))
    return penstock.embed(qm.name, home=home)


def _hold_the_log(qm: penstock.QueueManager) -> Context:
    """Keep replay from beginning later than now: an open unit has a record in the journal."""
    context = Context()
    context.run(qm.begin)
    context.run(qm.put, "Q", b"never committed", persistent=True)
    return context


def _run(qm: penstock.QueueManager, *commands: str) -> None:
    for command in commands:
        (reply,) = qm.mqsc(command)
        assert not reply.failed, reply.text


def test_a_queue_that_the_checkpoint_does_not_know_any_more(tmp_path: Path) -> None:
    with penstock.embed("QM1", create=True) as qm:
        _run(qm, "DEFINE QLOCAL(Q)", "DEFINE QLOCAL(OLD)")
        unit = _hold_the_log(qm)
        _run(qm, "DELETE QLOCAL(OLD)")
        qm.checkpoint()
        with _crash(qm, tmp_path / "other") as again:
            assert again.mqsc("DISPLAY QLOCAL(OLD)")[0].failed
            assert again.get("Q") is None
        unit.run(qm.backout)


def test_a_name_that_was_used_again(tmp_path: Path) -> None:
    with penstock.embed("QM1", create=True) as qm:
        _run(qm, "DEFINE QLOCAL(Q)")
        unit = _hold_the_log(qm)
        _run(qm, "DEFINE QLOCAL(N) DESCR('first')")
        qm.put("N", b"gone with its queue", persistent=True)
        _run(qm, "DELETE QLOCAL(N) PURGE", "DEFINE QLOCAL(N) DESCR('second')")
        qm.put("N", b"kept", persistent=True)
        qm.checkpoint()
        with _crash(qm, tmp_path / "other") as again:
            assert again.mqsc("DISPLAY QLOCAL(N) DESCR")[0].attributes["DESCR"] == "second"
            assert [message.body for message in again.browse("N")] == [b"kept"]
        unit.run(qm.backout)


def test_a_name_that_another_kind_of_object_has_now(tmp_path: Path) -> None:
    with penstock.embed("QM1", create=True) as qm:
        _run(qm, "DEFINE QLOCAL(Q)")
        unit = _hold_the_log(qm)
        _run(qm, "DEFINE QLOCAL(N)", "DELETE QLOCAL(N)", "DEFINE QALIAS(N) TARGET(Q)")
        qm.put("N", b"to Q", persistent=True)
        qm.checkpoint()
        with _crash(qm, tmp_path / "other") as again:
            assert again.get("N").body == b"to Q"
        unit.run(qm.backout)
