"""A unit of work that never ends keeps the log from being used again: it alone is backed out (2003)."""

from __future__ import annotations

import contextvars
import threading
from pathlib import Path
from typing import Any

import pytest

import penstock

pytestmark = pytest.mark.crash
BODY = bytes(20_000)


@pytest.fixture
def qm(tmp_path: Path) -> Any:
    with penstock.embed(
        "QM1", create=True, home=tmp_path, file_pages=64, primary_files=2, secondary_files=1
    ) as qm:
        qm.mqsc("DEFINE QLOCAL(A)\nDEFINE QLOCAL(B)")
        yield qm


def test_longest_unit_gets_2003_and_nothing_else_fails(qm: Any) -> None:
    long, short = contextvars.Context(), contextvars.Context()
    long.run(qm.begin)
    long.run(qm.put, "A", b"never to be seen", persistent=True)
    for number in range(100):
        short.run(qm.begin)
        short.run(qm.put, "B", BODY, persistent=True)
        qm.put("B", b"%d" % number, persistent=True)
        short.run(qm.commit)

    with pytest.raises(penstock.MQError) as failed:
        long.run(qm.put, "A", b"more", persistent=True)

    long.run(qm.backout)
    assert failed.value.reason == 2003
    assert len(list(qm.browse("B"))) == 200
    assert list(qm.browse("A")) == []
    assert "AMQ7469W" in qm.host.folder.error_log.read_text()


def test_failed_unit_can_be_backed_out_and_a_new_one_begun(qm: Any) -> None:
    qm.begin()
    qm.put("A", b"old", persistent=True)
    with qm.gate:
        qm.engine.fail_oldest_unit(qm.host.journal.end, 0.0)

    with pytest.raises(penstock.MQError) as failed:
        qm.commit()
    with qm.unit_of_work():
        qm.put("A", b"new", persistent=True)

    assert failed.value.reason == 2003
    assert [m.body for m in qm.browse("A")] == [b"new"]


def test_close_with_a_failed_unit_says_so_and_closes(tmp_path: Path, qm: Any) -> None:
    second = penstock.embed("QM1", home=tmp_path)
    second.begin()
    second.put("A", b"old", persistent=True)
    with qm.gate:
        qm.engine.fail_oldest_unit(qm.host.journal.end, 0.0)

    with pytest.raises(penstock.MQError) as failed:
        second.close()

    assert failed.value.reason == 2003
    assert second.closed
    assert qm.host.users == 1


def test_unit_without_other_traffic_is_backed_out_too(qm: Any) -> None:
    def fill() -> None:
        with qm.unit_of_work():
            for _ in range(200):
                qm.put("A", BODY, persistent=True, priority=1)

    with pytest.raises(penstock.MQError) as failed:
        fill()

    assert failed.value.reason == 2003
    assert list(qm.browse("A")) == []


def test_log_stays_within_its_files(qm: Any) -> None:
    for _ in range(150):
        qm.put("A", BODY, persistent=True)

    assert len(list(qm.host.folder.log.glob("S*.LOG"))) <= 5
    assert qm.host.journal.used <= qm.host.journal.capacity


def test_message_larger_than_the_log_is_refused(qm: Any) -> None:
    with pytest.raises(penstock.MQError) as failed:
        qm.put("A", bytes(800_000), persistent=True)

    assert failed.value.reason == 2102
    qm.put("A", bytes(800_000), persistent=False)


def test_units_of_busy_threads_do_not_fail_with_the_long_one(tmp_path: Path) -> None:
    """The log has room for what others write while a thread waits in the middle of a unit."""
    log = {"file_pages": 512, "primary_files": 3, "secondary_files": 1}
    with penstock.embed("QM1", create=True, home=tmp_path, **log) as qm:
        qm.mqsc("DEFINE QLOCAL(A)\nDEFINE QLOCAL(B)")
        _busy_threads(qm)


def _busy_threads(qm: Any) -> None:
    failures: list[penstock.MQError] = []
    qm.begin()
    qm.put("A", b"never to be seen", persistent=True)

    def work() -> None:
        try:
            for _ in range(200):
                with qm.unit_of_work():
                    qm.put("B", bytes(8000), persistent=True)
                    qm.put("B", b"", persistent=True)
                    qm.get("B")
        except penstock.MQError as failure:
            failures.append(failure)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert failures == []
    assert len(list(qm.browse("B"))) == 1200
    with pytest.raises(penstock.MQError) as failed:
        qm.commit()
    assert failed.value.reason == 2003


def test_prepared_unit_does_not_keep_the_log_before_or_after_a_restart(tmp_path: Path, qm: Any) -> None:
    qm.begin()
    qm.put("A", b"held", persistent=True)
    qm.prepare("x1")
    fill_and_check(qm)
    qm.begin()
    qm.put("A", b"held too", persistent=True)
    qm.prepare("x2")
    qm.host.abandon()

    with penstock.embed("QM1", home=tmp_path) as again:
        fill_and_check(again)
        again.commit_prepared("x1")
        again.commit_prepared("x2")
        assert [m.body for m in again.browse("A")] == [b"held", b"held too"]


def fill_and_check(qm: Any) -> None:
    """Use the log up several times; a checkpoint must leave next to nothing of it in use."""
    for _ in range(60):
        qm.put("B", BODY, persistent=True)
        qm.get("B")
    qm.checkpoint()
    assert qm.host.journal.used < 2 * len(BODY)


def test_many_large_messages_at_once_wait_for_room(qm: Any) -> None:
    failures: list[penstock.MQError] = []

    def work() -> None:
        try:
            for _ in range(8):
                qm.put("B", bytes(200_000), persistent=True)
        except penstock.MQError as failure:
            failures.append(failure)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert failures == []
    assert len(list(qm.browse("B"))) == 64


def test_log_that_no_checkpoint_frees_refuses_persistent_puts_until_one_does(
    qm: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_room(_: Any) -> Any:
        raise penstock.MQError(8005)

    with monkeypatch.context() as disk:
        disk.setattr(qm.host.files, "write", no_room)
        confirmed: list[int] = []
        with pytest.raises(penstock.MQError) as refused:
            put_until_refused(qm, confirmed)
        qm.put("A", b"passing", persistent=False)
    qm.host.housekeeping(0.0)
    qm.put("A", b"after", persistent=True)

    assert refused.value.reason == 2102
    assert len(confirmed) >= 30
    assert len(qm.get_many("A", 500)) == len(confirmed) + 2


def put_until_refused(qm: Any, confirmed: list[int]) -> None:
    for number in range(200):
        qm.put("A", BODY, persistent=True)
        confirmed.append(number)
