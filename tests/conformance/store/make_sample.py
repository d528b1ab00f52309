"""Writes tests/data/formats/queue-manager-N.tar.gz: what a crashed queue manager of this release leaves.

Run once for each format that is released: `python tests/conformance/store/make_sample.py N`. A sample
is never written anew: later releases must read it as it is.
"""

from __future__ import annotations

import sys
import tarfile
import tempfile
import time
from pathlib import Path
from typing import Any

import penstock
from penstock.qmgr.channels import batches
from penstock.qmgr.channels.sync_book import RECEIVER, SyncRecord

DATA = Path(__file__).resolve().parents[2] / "data" / "formats"


def main(version: str) -> None:
    home = Path(tempfile.mkdtemp())
    qm = penstock.embed("OLD", create=True, home=home, file_pages=64, primary_files=2, secondary_files=1)
    qm.mqsc("DEFINE QLOCAL(A)\nDEFINE QALIAS(ALIAS) TARGET(A)\nDEFINE NAMELIST(NAMES) NAMES(X,Y)")
    qm.mqsc("DEFINE QLOCAL(FAR) USAGE(XMITQ)\nDEFINE QREMOTE(REMOTE) RNAME(ORDERS) RQMNAME(FAR)")
    send(qm, "file")
    batch(qm, 1)
    for number in range(5):
        qm.put(
            "A",
            b"file %d" % number,
            persistent=True,
            priority=number % 3,
            correl_id=b"%024d" % number,
            properties={"colour": "red", "size": number},
            reply_to="REPLY",
        )
    qm.begin()
    qm.get("A")
    qm.backout()
    qm.begin()
    qm.put("A", b"held in file", persistent=True)
    qm.prepare("in-file")
    for _ in range(2):
        qm.checkpoint()
    send(qm, "journal")
    batch(qm, 3)
    for number in range(3):
        qm.put("A", b"journal %d" % number, persistent=True)
    qm.begin()
    qm.put("A", b"held in journal", persistent=True)
    qm.get("A")
    qm.prepare("in-journal")
    qm.begin()
    qm.get("A")
    qm.put("A", b"never", persistent=True)
    qm.host.abandon()
    with tarfile.open(DATA / f"queue-manager-{version}.tar.gz", "w:gz") as archive:
        archive.add(home / "OLD", "OLD", filter=anonymous)


def send(qm: Any, where: str) -> None:
    """Leave messages for another queue manager on a transmission queue."""
    for number in range(3):
        qm.put("REMOTE", b"%s %d" % (where.encode(), number), persistent=True, correl_id=b"%024d" % number)


def batch(qm: Any, number: int) -> None:
    """Leave a batch of a message channel in doubt, and the synch record of a receiving end."""
    engine, now = qm.engine, time.time()
    with qm.gate:
        unit = engine.new_unit(None, now)
        queue = engine.queues["FAR"]
        engine.remove(queue, engine.select(queue, None, None, now), unit, now)
        batches.prepare(engine, unit, "OLD.FAR", "FAR_1", number, number, now)
        engine.sync_book.write(RECEIVER, "FAR.OLD", "FAR_1", SyncRecord(number, 10 * number, "copy"))
    qm.host.settle(qm.host.journal.end)


def anonymous(item: tarfile.TarInfo) -> tarfile.TarInfo | None:
    item.uid = item.gid = item.mtime = 0
    item.uname = item.gname = ""
    return None if "/errors/" in item.name or item.name.endswith("/lock") else item


if __name__ == "__main__":
    main(sys.argv[1])
