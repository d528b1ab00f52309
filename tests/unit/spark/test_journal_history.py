"""The history in a journal: what became visible, when it did, and nothing that was backed out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import penstock
from penstock.spark.format.journal_source import history

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.face.blocking import BlockingQueueManager

SCRIPT = (
    "DEFINE QLOCAL(IN)\nDEFINE QLOCAL(OUT)\nDEFINE QLOCAL(COPY)\nDEFINE TOPIC(T) TOPICSTR('t')\n"
    "DEFINE SUB(A) TOPICOBJ(T) DEST(OUT)\nDEFINE SUB(B) TOPICOBJ(T) DEST(COPY)"
)


def seen(home: Path) -> list[tuple[str, bytes]]:
    found = [(each.queue, bytes(each.message.body or b"")) for each in history([home / "QM1" / "log"])]
    return [each for each in found if not each[0].startswith("SYSTEM.")]


def work(qm: BlockingQueueManager) -> None:
    """Put in every way that leaves its own kind of record."""
    qm.put("IN", b"plain", persistent=True)
    qm.put("IN", b"not persistent", persistent=False)
    with qm.unit_of_work():
        qm.put("OUT", b"in a unit", persistent=True)
        qm.put("IN", b"in a unit too", persistent=True)
    qm.begin()
    qm.put("OUT", b"backed out", persistent=True)
    qm.backout()
    qm.publish("t", b"published", persistent=True)
    epoch = qm.batches.new_epoch("f")
    qm.batches.reserve("f", "IN", after=0, epoch=epoch, max_rows=1)
    for attempt, body in enumerate((b"of an attempt that does not win", b"of a flow")):
        qm.batches.prepare_outputs("f", 1, 0, attempt, [("COPY", body, {"persistent": True})], epoch=epoch)
    qm.batches.commit("f", 1, {0: 1}, epoch=epoch)


def test_a_journal_tells_what_became_visible(tmp_path: Path) -> None:
    with penstock.embed("QM1", create=True, home=tmp_path, log_type="LINEAR") as qm:
        qm.mqsc(SCRIPT, check=True)
        work(qm)
        qm.mqsc("CLEAR QLOCAL(OUT)\nDELETE SUB(A)\nDELETE QLOCAL(OUT)", check=True)
        while_it_runs = seen(tmp_path)

    assert while_it_runs == seen(tmp_path)
    assert sorted(while_it_runs) == [
        ("COPY", b"of a flow"),
        ("COPY", b"published"),
        ("IN", b"in a unit too"),
        ("IN", b"plain"),
        ("OUT", b"in a unit"),
        ("OUT", b"published"),
    ]
