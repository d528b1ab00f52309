"""Many lives of one queue manager: nothing leaks, order lasts, no id is given twice, dead files go."""

from __future__ import annotations

import gc
import threading
from pathlib import Path
from typing import Any

import pytest

import penstock
from penstock.host import checkpointing

pytestmark = pytest.mark.crash
LOG = {"file_pages": 64, "primary_files": 2, "secondary_files": 1}
BUFFERS = {"default_q_buffer_size": 2000, "default_pq_buffer_size": 2000}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    with penstock.embed("QM1", create=True, home=tmp_path, **LOG, **BUFFERS) as qm:
        qm.mqsc("DEFINE QLOCAL(A)\nDEFINE QLOCAL(HIGH) NPMCLASS(HIGH)")
    return tmp_path


def files(home: Path) -> int:
    return sum(1 for path in home.rglob("*") if path.is_file())


def open_descriptors() -> int:
    gc.collect()
    return len(list(Path("/proc/self/fd").iterdir()))


def test_restarts_leak_neither_files_nor_descriptors(home: Path, scale: int) -> None:
    def life(number: int) -> None:
        qm = penstock.embed("QM1", home=home)
        qm.put("A", bytes(3000), persistent=True)
        qm.get("A")
        if number % 2:
            qm.host.abandon()
        else:
            qm.close()

    for number in range(10):
        life(number)
    before, descriptors = files(home), open_descriptors()
    for number in range(40 * scale):
        life(number)

    assert files(home) <= before + 1
    assert open_descriptors() <= descriptors + 1


def test_order_lasts_over_restarts_and_crashes(home: Path) -> None:
    for number in range(30):
        qm = penstock.embed("QM1", home=home)
        qm.put("A", b"%d" % (2 * number), persistent=True)
        if number % 3 == 1:
            qm.checkpoint()
        qm.put("A", b"%d" % (2 * number + 1), persistent=True)
        if number % 2:
            qm.host.abandon()
        else:
            qm.close()
        if number == 10:
            with penstock.embed("QM1", home=home) as qm:
                qm.get_many("A", 10)

    with penstock.embed("QM1", home=home) as qm:
        assert [int(m.body) for m in qm.browse("A")] == list(range(10, 60))


def test_ids_are_not_given_twice_when_the_clock_goes_back(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from penstock.host import starting

    with penstock.embed("QM1", home=home) as qm:
        first = qm.put("A", b"1").msg_id
    monkeypatch.setattr(starting.time, "time", lambda: 1_000_000_000.0)
    with penstock.embed("QM1", home=home) as qm:
        second = qm.put("A", b"2").msg_id
    with penstock.embed("QM1", home=home) as qm:
        third = qm.put("A", b"3").msg_id

    assert first < second < third


def test_clean_stop_keeps_non_persistent_messages_of_high_class_only(home: Path) -> None:
    with penstock.embed("QM1", home=home) as qm:
        for number in range(200):  # enough to spill
            qm.put("HIGH", b"%d" % number + bytes(100), persistent=False)
            qm.put("A", b"%d" % number + bytes(100), persistent=False)
        qm.put("HIGH", b"last", persistent=True)

    with penstock.embed("QM1", home=home) as qm:
        assert len(list(qm.browse("A"))) == 0
        assert [m.body.rstrip(b"\0") for m in qm.browse("HIGH")] == [b"%d" % n for n in range(200)] + [
            b"last"
        ]
        qm.host.abandon()
    with penstock.embed("QM1", home=home) as qm:
        assert [m.body for m in qm.browse("HIGH")] == [b"last"]


def test_deleted_queue_stays_deleted_and_its_name_starts_empty(home: Path) -> None:
    qm = penstock.embed("QM1", home=home)
    qm.put("A", b"old", persistent=True)
    qm.checkpoint()
    qm.mqsc("DELETE QLOCAL(A) PURGE\nDEFINE QLOCAL(A)")
    qm.put("A", b"new", persistent=True)
    qm.host.abandon()

    with penstock.embed("QM1", home=home) as qm:
        assert [m.body for m in qm.browse("A")] == [b"new"]
        qm.mqsc("DELETE QLOCAL(A) PURGE")
        qm.host.abandon()
    with penstock.embed("QM1", home=home) as qm, pytest.raises(penstock.MQError) as unknown:
        qm.get("A")
    assert unknown.value.reason == 2085


def test_dead_message_files_go_without_persistent_traffic(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("penstock.host.housekeeping.CHECKPOINT_DISCARDS", 100)
    with penstock.embed("QM1", home=home) as qm:
        qm.host.files.file_bytes = 20_000
        for _ in range(5):
            for _ in range(100):
                qm.put("A", bytes(1000), persistent=False)
            checkpointing.spill(qm.host)
            qm.get_many("A", 200)
        spilled = len(qm.host.files.usage())
        qm.host.housekeeping(0.0)

        assert spilled > 4
        assert len(qm.host.files.usage()) <= 1


def test_mostly_dead_message_files_are_rewritten(home: Path) -> None:
    with penstock.embed("QM1", home=home) as qm:
        qm.host.files.file_bytes = 20_000
        qm.mqsc("DEFINE QLOCAL(B)")
        qm.begin()
        qm.put("B", b"held", persistent=True)
        qm.prepare("x1")
        for number in range(200):
            qm.put("A", b"%03d" % number + bytes(1000), persistent=True, correl_id=b"%024d" % (number % 20))
            if number % 20 == 19:
                qm.checkpoint()
        checkpointing.spill(qm.host)
        before = len(qm.host.files.usage())
        for number in range(1, 20):
            qm.get_many("A", 100, correl_id=b"%024d" % number)
        for _ in range(6):
            qm.checkpoint()

        kept = [m.body[:3] for m in qm.browse("A")]
        assert before > 8
        assert len(qm.host.files.usage()) <= 3
        assert kept == [b"%03d" % n for n in range(0, 200, 20)]
        qm.host.abandon()
    with penstock.embed("QM1", home=home) as qm:
        assert [m.body[:3] for m in qm.browse("A")] == kept
        qm.commit_prepared("x1")
        assert qm.get("B").body == b"held"


def test_linear_log_keeps_its_files_and_restarts(tmp_path: Path) -> None:
    with penstock.embed("LIN", create=True, home=tmp_path, log_type="LINEAR", **LOG) as qm:
        qm.mqsc("DEFINE QLOCAL(A)")
        for number in range(100):
            qm.put("A", b"%03d" % number + bytes(20_000), persistent=True)
        qm.checkpoint()
        kept = len(list(qm.host.folder.log.glob("S*.LOG")))
        qm.host.abandon()

    with penstock.embed("LIN", home=tmp_path) as qm:
        assert kept >= 8
        assert len(list(qm.browse("A"))) == 100
        assert (qm.host.folder.log / "S0000000.LOG").exists()


def test_message_of_100_megabytes_survives_with_the_default_log(tmp_path: Path) -> None:
    size = 100 * 1024 * 1024
    qm: Any = penstock.embed("BIG", create=True, home=tmp_path)
    qm.mqsc("ALTER QMGR MAXMSGL(104857600)\nDEFINE QLOCAL(A) MAXMSGL(104857600)")
    qm.put("A", b"x" * size, persistent=True)
    qm.host.abandon()

    with penstock.embed("BIG", home=tmp_path) as qm:
        message = qm.get("A")
    assert len(message.body) == size
    assert message.body[:1] + message.body[-1:] == b"xx"


def test_embed_during_the_last_close_waits_for_it(home: Path) -> None:
    failures: list[Exception] = []

    def lives() -> None:
        try:
            for _ in range(20):
                with penstock.embed("QM1", home=home) as qm:
                    qm.put("A", b"x", persistent=True)
        except penstock.MQError as failure:
            failures.append(failure)

    threads = [threading.Thread(target=lives) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert failures == []
    with penstock.embed("QM1", home=home) as qm:
        assert len(list(qm.browse("A"))) == 60
