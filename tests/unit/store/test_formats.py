"""Files that an earlier release wrote are still read (tests/data/store holds one archive a format)."""

from __future__ import annotations

import tarfile
from pathlib import Path

from penstock.model.message import Descriptor
from penstock.store.checkpoint import read_checkpoint
from penstock.store.journal_reader import read_journal
from penstock.store.message_files import MessageFiles
from penstock.store.message_format import load_messages

DATA = Path(__file__).parents[2] / "data" / "store"


def test_version_1_of_journal_message_files_and_checkpoint(tmp_path: Path) -> None:
    with tarfile.open(DATA / "version-1.tar.xz") as archive:
        archive.extractall(tmp_path)
    checkpoint = read_checkpoint(tmp_path)
    assert checkpoint is not None
    assert checkpoint.state == b"the state"
    reading = read_journal(tmp_path / "log", checkpoint.journal_start)
    assert [(kind, bytes(payload)) for _, kind, payload in reading] == [
        (7, b"head 7" + b"seven" * 60_000),
        (8, b"head 8"),
    ]
    assert reading.torn is None
    found = list(load_messages(MessageFiles(tmp_path / "queues"), checkpoint.manifest))
    assert [(m.seq, queue_id, unit, m.length, m.backout_count) for m, queue_id, unit in found] == [
        (1, 10, 0, 4, 0),
        (3, 10, 0, 4, 2),
    ]
    message = found[0][0]
    assert message.descriptor == Descriptor(format="MQSTR", reply_to="REPLIES")
    assert message.properties == {"colour": "red", "size": 5, "none": None}
    assert (message.msg_id, message.priority, message.persistent) == (b"m" * 24, 3, True)
