"""A folder of the first release with message channels still opens (tests/data/store/channels-1.tar.xz).

It has three messages on a transmission queue, one of them in a batch in doubt; a synch record of a receiving
end; and a channel that is stopped.
"""

from __future__ import annotations

import tarfile
from pathlib import Path

import penstock
from penstock.qmgr.channels import batches
from penstock.qmgr.channels.sync_book import RECEIVER, SyncRecord

ARCHIVE = Path(__file__).parents[2] / "data" / "store" / "channels-1.tar.xz"
PARTNER = "QMB_2026-01-01_00.00.00"


def test_messages_doubt_and_records_are_found(tmp_path: Path) -> None:
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(tmp_path)
    with penstock.embed("QMA", home=tmp_path) as qm:
        (batch,) = batches.in_doubt(qm.engine, "A.B")
        assert (batch.first, batch.last, batch.partner) == (1, 1, PARTNER)
        assert qm.engine.sync_book.is_held("A.B")
        assert qm.engine.sync_book.find(RECEIVER, "B.A", PARTNER) == SyncRecord(7, 12, "other")
        (shown,) = [r.attributes for r in qm.mqsc("DISPLAY CHSTATUS(A.B) SAVED ALL") if r.attributes]
        assert (shown["INDOUBT"], shown["CURMSGS"], shown["RQMNAME"]) == ("YES", 1, "QMB")
        waiting = list(qm.browse("QMB"))
        assert [bytes(message.body[-9:]) for message in waiting] == [b"message 1", b"message 2"]
        assert all(bytes(message.body).startswith(b"XQH ") for message in waiting)
