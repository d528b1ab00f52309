"""What a start does with files that are not as they were written: a torn end recovers, the rest is refused.

A refused start changes nothing and names file, position and what to do.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import penstock
from penstock.qmgr.restart import snapshot
from penstock.store.file_header import HEADER_BYTES, VERSION, decode_header

pytestmark = pytest.mark.crash
LOG = {"file_pages": 64, "primary_files": 2}
BODY = b"payload-"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A queue manager that crashed with messages 0 to 9 in its journal only."""
    qm = penstock.embed("QM1", create=True, home=tmp_path, **LOG)
    qm.mqsc("DEFINE QLOCAL(A)")
    for number in range(10):
        qm.put("A", BODY + b"%d" % number * 50, persistent=True)
    qm.host.abandon()
    return tmp_path


def journal(home: Path) -> Path:
    files = sorted((home / "QM1" / "log").glob("S*.LOG"))
    return next(path for path in files if BODY in path.read_bytes())


def place_of(path: Path, number: int) -> int:
    return path.read_bytes().index(BODY + b"%d" % number * 50)


def overwrite(path: Path, offset: int, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(offset)
        file.write(data)


def test_damaged_middle_stops_the_start_with_position_and_advice(home: Path) -> None:
    path = journal(home)
    overwrite(path, place_of(path, 4), b"?")

    for _ in range(2):  # nothing was changed by the first try
        with pytest.raises(penstock.MQError) as refused:
            penstock.embed("QM1", home=home)

        assert refused.value.reason == 8002
        assert path.name in str(refused.value)
        assert "position" in refused.value.fields
        assert "backup" in str(refused.value)


def test_damage_that_is_mended_leaves_everything_there(home: Path) -> None:
    path = journal(home)
    offset = place_of(path, 4)
    overwrite(path, offset, b"?")
    with pytest.raises(penstock.MQError):
        penstock.embed("QM1", home=home)
    overwrite(path, offset, BODY[:1])

    with penstock.embed("QM1", home=home) as qm:
        assert len(list(qm.browse("A"))) == 10


def test_torn_end_recovers_and_the_error_log_says_so(home: Path) -> None:
    path = journal(home)
    overwrite(path, place_of(path, 9) + 3, b"????")

    with penstock.embed("QM1", home=home) as qm:
        assert [m.body[8:9] for m in qm.browse("A")] == [b"%d" % n for n in range(9)]
        assert "AMQ7472W" in qm.host.folder.error_log.read_text()
        assert qm.status().recovery.torn


@pytest.mark.parametrize("kind", ["checkpoint", "journal"])
def test_newer_format_is_refused_with_advice(home: Path, kind: str) -> None:
    path = home / "QM1" / "CHECKPOINT" if kind == "checkpoint" else journal(home)
    magic = path.read_bytes()[:8]
    header = decode_header(path.read_bytes()[:HEADER_BYTES], magic, path)
    overwrite(path, 0, replace(header, version=VERSION + 1).encode())

    with pytest.raises(penstock.MQError) as refused:
        penstock.embed("QM1", home=home)

    assert refused.value.reason == 8003
    assert "the release that wrote it" in str(refused.value)


def test_newer_state_inside_a_checkpoint_is_refused(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    take = snapshot.take

    def take_as_a_later_release(*arguments: Any) -> snapshot.Snapshot:
        taken = take(*arguments)
        taken.values["version"] = snapshot.VERSION + 1
        return taken

    with monkeypatch.context() as future:
        future.setattr(snapshot, "take", take_as_a_later_release)
        with penstock.embed("QM1", home=home):
            pass

    with pytest.raises(penstock.MQError) as refused:
        penstock.embed("QM1", home=home)

    assert refused.value.reason == 8003


def test_damaged_checkpoint_is_refused(home: Path) -> None:
    path = home / "QM1" / "CHECKPOINT"
    overwrite(path, path.stat().st_size // 2, b"????")

    with pytest.raises(penstock.MQError) as refused:
        penstock.embed("QM1", home=home)

    assert refused.value.reason == 8011


def test_damaged_message_file_is_refused_with_its_name(home: Path) -> None:
    with penstock.embed("QM1", home=home):
        pass  # the close writes the messages to a message file
    path = next((home / "QM1" / "queues").glob("M*.DAT"))
    overwrite(path, path.read_bytes().index(BODY), b"?")

    with pytest.raises(penstock.MQError) as refused:
        penstock.embed("QM1", home=home)

    assert refused.value.reason == 8010
    assert path.name in str(refused.value)
