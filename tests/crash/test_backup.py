"""A backup of a busy queue manager is what a crash at that moment would have left: it starts elsewhere."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

import penstock

pytestmark = pytest.mark.crash
LOG = {"file_pages": 64, "primary_files": 2, "secondary_files": 1}


@pytest.fixture
def qm(tmp_path: Path) -> Any:
    with penstock.embed("QM1", create=True, home=tmp_path / "here", **LOG) as qm:
        qm.mqsc("DEFINE QLOCAL(A) MAXDEPTH(900000)")
        yield qm


def test_backup_of_a_busy_queue_manager_starts_elsewhere(qm: Any, tmp_path: Path) -> None:
    confirmed: list[int] = []
    done = threading.Event()

    def produce() -> None:
        number = 0
        while not done.is_set():
            qm.put("A", (b"%06d" % number).ljust(5000), persistent=True)
            confirmed.append(number)
            number += 1

    thread = threading.Thread(target=produce)
    thread.start()
    copies = []
    try:
        for number in range(3):
            while len(confirmed) < 100 * (number + 1):
                done.wait(0.001)
            before = len(confirmed)
            copies.append((qm.backup(tmp_path / f"there-{number}" / "QM1"), before))
    finally:
        done.set()
        thread.join()

    for target, before in copies:
        with penstock.embed("QM1", home=target.parent) as copy:
            found = [int(message.body) for message in copy.browse("A")]
            assert found == list(range(len(found)))
            assert len(found) >= before


def test_backup_keeps_prepared_units_and_definitions(qm: Any, tmp_path: Path) -> None:
    qm.begin()
    qm.put("A", b"held", persistent=True)
    qm.prepare("x1")
    qm.mqsc("DEFINE QALIAS(B) TARGET(A)")

    target = qm.backup(tmp_path / "there" / "QM1")

    qm.commit_prepared("x1")
    with penstock.embed("QM1", home=target.parent) as copy:
        assert [unit["xid"] for unit in copy.prepared()] == ["x1"]
        copy.commit_prepared("x1")
        assert copy.get("B").body == b"held"


def test_backup_keeps_message_models(qm: Any, tmp_path: Path) -> None:
    qm.host.folder.models.mkdir()
    (qm.host.folder.models / "QUOTES.cpy").write_text("       01 QUOTE PIC X.")
    qm.backup(tmp_path / "copy")
    assert (tmp_path / "copy" / "models" / "QUOTES.cpy").exists()


def test_backup_does_not_overwrite(qm: Any, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()

    with pytest.raises(penstock.MQError) as refused:
        qm.backup(tmp_path / "there")

    assert refused.value.reason == 8014
    assert list((tmp_path / "there").iterdir()) == []


def test_backup_that_cannot_be_written_leaves_nothing(qm: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")

    with pytest.raises(penstock.MQError) as refused:
        qm.backup(tmp_path / "file" / "QM1")

    assert refused.value.reason == 8014
