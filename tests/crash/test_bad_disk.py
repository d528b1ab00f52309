"""The disk refuses: nearly full, full, broken, read-only. Clear errors, and nothing confirmed is lost."""

from __future__ import annotations

import errno
import os
import threading
from pathlib import Path
from typing import Any

import pytest

import penstock
from penstock.host.folders.folder_lock import CRASHED, ENDED, state_of
from penstock.store.faults import Faults

pytestmark = pytest.mark.crash
LOG = {"file_pages": 64, "primary_files": 2}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    with penstock.embed("QM1", create=True, home=tmp_path, **LOG) as qm:
        qm.mqsc("DEFINE QLOCAL(A)")
    return tmp_path


def bodies(home: Path) -> list[bytes | None]:
    with penstock.embed("QM1", home=home) as qm:
        return [message.body for message in qm.browse("A")]


def test_nearly_full_disk_refuses_persistent_puts_only(home: Path) -> None:
    with penstock.embed("QM1", home=home) as qm:
        qm.put("A", b"before", persistent=True)
        qm.host.disk_reserve_bytes = 1 << 60
        qm.host.housekeeping(0.0)
        with pytest.raises(penstock.MQError) as refused:
            qm.put("A", b"refused", persistent=True)
        qm.put("A", b"passing", persistent=False)
        qm.put("A", b"passing in full", persistent=False, priority=0)
        with qm.open("A") as handle:
            handle.put(b"passing by handle", persistent=False)
            with pytest.raises(penstock.MQError) as refused_by_handle:
                handle.put(b"refused", persistent=True)
        got = qm.get("A")

        qm.host.disk_reserve_bytes = 0
        qm.host.housekeeping(0.0)
        qm.put("A", b"after", persistent=True)

    assert refused.value.reason == refused_by_handle.value.reason == 2056
    assert got.body == b"before"
    assert bodies(home) == [b"after"]


def test_a_disk_that_is_nearly_full_is_noticed_before_the_first_put(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("penstock.host.host.DISK_RESERVE_BYTES", 1 << 60)
    with penstock.embed("QM1", home=home) as qm, pytest.raises(penstock.MQError) as refused:
        qm.put("A", b"refused", persistent=True)

    assert refused.value.reason == 2056
    assert bodies(home) == []


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
@pytest.mark.parametrize("lasting", [True, False])
def test_failing_journal_stops_the_queue_manager(home: Path, code: int, lasting: bool) -> None:
    counting = Faults()
    qm = penstock.embed("QM1", home=home, faults=counting)
    operations = counting.operations
    qm.close()
    qm = penstock.embed("QM1", home=home, faults=Faults(stop_at=operations + 7, error=code, lasting=lasting))
    confirmed: list[bytes] = []

    def work() -> None:
        for number in range(100):
            qm.put("A", b"%d" % number, persistent=True)
            confirmed.append(b"%d" % number)

    with pytest.raises(penstock.MQError) as stopped:
        work()
    with pytest.raises(penstock.MQError) as later:
        qm.put("A", b"later", persistent=False)
    qm.close()

    assert stopped.value.reason == 8004
    assert os.strerror(code) in str(stopped.value)
    assert later.value.reason == 8004
    assert "has stopped" in qm.host.folder.error_log.read_text()
    found = bodies(home)
    assert found[: len(confirmed)] == confirmed
    assert len(found) - len(confirmed) <= 1


def test_failed_sync_of_a_checkpoint_stops_the_queue_manager(home: Path) -> None:
    qm = penstock.embed("QM1", home=home)
    qm.put("A", b"kept", persistent=True)
    original = qm.host.files.sync
    qm.host.files.sync = lambda: failing_sync(home)

    with pytest.raises(penstock.MQError):
        qm.checkpoint()
    with pytest.raises(penstock.MQError) as later:
        qm.put("A", b"later", persistent=True)
    qm.host.files.sync = original
    qm.close()

    assert later.value.reason == 8004
    assert bodies(home) == [b"kept"]


def failing_sync(path: Path) -> Any:
    from penstock.store.failures import file_failure

    raise file_failure(OSError(errno.EIO, os.strerror(errno.EIO)), "syncing", path)


def test_checkpoint_that_finds_no_room_is_made_up_for_by_the_next(home: Path) -> None:
    qm = penstock.embed("QM1", home=home)
    for number in range(5):
        qm.put("A", b"%d" % number, persistent=True)
    gone = qm.get("A")
    original = qm.host.files.write

    def no_room(_: Any) -> Any:
        raise penstock.MQError(8005)

    qm.host.files.write = no_room
    with pytest.raises(penstock.MQError):
        qm.checkpoint()
    qm.host.files.write = original
    qm.checkpoint()
    qm.host.abandon()

    assert gone.body == b"0"
    assert bodies(home) == [b"1", b"2", b"3", b"4"]


def no_room(_: Any) -> Any:
    raise penstock.MQError(8005)


def test_a_stop_that_finds_no_room_for_its_checkpoint_is_a_stop(home: Path) -> None:
    """The log has it all: the next start reads it, and does without a checkpoint as well."""
    qm = penstock.embed("QM1", home=home)
    qm.put("A", b"kept", persistent=True)
    qm.put("A", b"passing", persistent=False)
    qm.host.files.write = no_room
    qm.close()

    assert state_of(home / "QM1" / "lock")[0] == ENDED
    assert "No checkpoint could be written" in qm.host.folder.error_log.read_text()
    assert bodies(home) == [b"kept"]


def test_a_stop_that_would_lose_messages_says_so(home: Path) -> None:
    """Non-persistent messages of NPMCLASS(HIGH) survive a stop, but only in its checkpoint."""
    with penstock.embed("QM1", home=home) as qm:
        qm.mqsc("ALTER QLOCAL(A) NPMCLASS(HIGH)")
        qm.put("A", b"kept over a stop", persistent=False)
        qm.host.files.write, write = no_room, qm.host.files.write
        with pytest.raises(penstock.MQError) as refused:
            qm.close()
        assert write is not no_room

    assert refused.value.reason == 8005
    assert state_of(home / "QM1" / "lock")[0] == CRASHED


def test_a_start_that_finds_no_room_for_its_checkpoint_is_a_start(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise penstock.MQError(8005)

    monkeypatch.setattr("penstock.host.checkpointing.write_checkpoint", full)
    with penstock.embed("QM1", home=home) as qm:
        qm.put("A", b"kept", persistent=True)
    monkeypatch.undo()

    assert bodies(home) == [b"kept"]


def test_a_new_queue_manager_needs_its_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise penstock.MQError(8005)

    monkeypatch.setattr("penstock.host.checkpointing.write_checkpoint", full)
    with pytest.raises(penstock.MQError) as refused:
        penstock.embed("QM1", home=tmp_path, create=True)
    monkeypatch.undo()

    assert refused.value.reason == 8005
    with penstock.embed("QM1", home=tmp_path, create=True) as qm:
        assert qm.name == "QM1"


def test_spill_without_room_fails_no_put(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    qm = penstock.embed("QM1", home=home)
    qm.engine.buffer_bytes = 100

    def no_room(_: Any) -> Any:
        raise penstock.MQError(8005)

    monkeypatch.setattr(qm.host.files, "write", no_room)
    for number in range(200):
        qm.put("A", b"%d" % number, persistent=False)

    assert len(qm.get_many("A", 500)) == 200
    monkeypatch.undo()
    qm.close()


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_read_only_folder_is_refused(home: Path) -> None:
    folder = home / "QM1"
    folder.chmod(0o500)
    for path in folder.rglob("*"):
        path.chmod(0o500 if path.is_dir() else 0o400)
    try:
        with pytest.raises(penstock.MQError) as refused:
            penstock.embed("QM1", home=home)
    finally:
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o700)

    assert refused.value.reason == 8006
    assert bodies(home) == []


def test_folder_on_a_read_only_disk_is_refused(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read_only(*_: Any) -> int:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    with monkeypatch.context() as disk:
        disk.setattr("penstock.host.folders.folder_lock.os.open", read_only)
        with pytest.raises(penstock.MQError) as refused:
            penstock.embed("QM1", home=home)

    assert refused.value.reason == 8006
    assert bodies(home) == []


def test_waiting_getter_learns_that_the_queue_manager_has_stopped(home: Path) -> None:
    qm = penstock.embed("QM1", home=home)
    reasons: list[int] = []

    def wait() -> None:
        try:
            qm.get("A", wait=60.0)
        except penstock.MQError as failure:
            reasons.append(failure.reason)

    thread = threading.Thread(target=wait)
    thread.start()
    while qm.engine.queues["A"].waiting is None or not qm.engine.queues["A"].waiting.count:
        pass
    qm.host.stop(penstock.MQError(8004))
    thread.join(60.0)
    qm.close()

    assert reasons == [8004]
