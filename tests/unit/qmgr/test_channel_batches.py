"""Batches of a sending end and synch records: prepared, decided, reset, and found again after a restart."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import penstock
from penstock.model.errors import MQError
from penstock.qmgr.channels import batches
from penstock.qmgr.channels.sync_book import NONE, RECEIVER, SENDER, SyncRecord

SMALL_LOG = {"file_pages": 64, "primary_files": 2}


@pytest.fixture
def qm(tmp_path: Path) -> Iterator[Any]:
    qm = penstock.embed("QM1", create=True, home=tmp_path, **SMALL_LOG)
    qm.mqsc("DEFINE QLOCAL(QM2) USAGE(XMITQ)\nDEFINE QREMOTE(R) RNAME(T) RQMNAME(QM2)")
    for number in range(6):
        qm.put("R", b"%d" % number, persistent=True)
    yield qm
    if not qm.closed:
        qm.close()


def make_batch(
    qm: Any, first: int, count: int = 2, partner: str = "P", channel: str = "QM1.QM2"
) -> batches.Batch:
    engine, now = qm.engine, time.time()
    with qm.gate:
        unit = engine.new_unit(None, now)
        queue = engine.queues["QM2"]
        for _ in range(count):
            engine.remove(queue, engine.select(queue, None, None, now), unit, now)
        made = batches.prepare(engine, unit, channel, partner, first, first + count - 1, now)
        position = engine.step.position
    qm.host.settle(position)
    return made


def waiting(qm: Any) -> list[bytes]:
    return [message.body[428:] for message in qm.browse("QM2")]


def answer(qm: Any, luwid: int, seq: int, partner: str = "P") -> None:
    with qm.gate:
        batches.resynchronise(qm.engine, "QM1.QM2", partner, SyncRecord(luwid, seq), time.time())
    qm.host.settle(qm.host.journal.end)


def refused(action: Callable[[], object]) -> int:
    with pytest.raises(MQError) as caught:
        action()
    return caught.value.reason


def restart(qm: Any, tmp_path: Path) -> Any:
    qm.host.abandon()
    return penstock.embed("QM1", home=tmp_path)


def test_the_answer_of_the_receiving_end_decides_all_batches(qm: Any) -> None:
    one, two, three = (make_batch(qm, first) for first in (1, 3, 5))
    assert batches.in_doubt(qm.engine, "QM1.QM2") == [one, two, three]
    answer(qm, two.luwid, 4)
    assert waiting(qm) == [b"4", b"5"]
    assert batches.in_doubt(qm.engine, "QM1.QM2") == []
    record = qm.engine.sync_book.find(SENDER, "QM1.QM2", "P")
    assert (record.luwid, record.seq) == (two.luwid, 4)


def test_an_answer_without_any_of_them_backs_all_out_and_counts_no_backout(qm: Any) -> None:
    make_batch(qm, 1)
    make_batch(qm, 3)
    answer(qm, 0, 0)
    assert waiting(qm) == [b"0", b"1", b"2", b"3", b"4", b"5"]
    assert {message.backout_count for message in qm.browse("QM2")} == {0}


@pytest.mark.parametrize(("luwid", "seq"), [(99999, 2), (0, 1)])
def test_records_that_do_not_agree_are_8071_and_change_nothing(qm: Any, luwid: int, seq: int) -> None:
    made = make_batch(qm, 1)
    assert refused(lambda: answer(qm, luwid, seq)) == 8071
    assert refused(lambda: answer(qm, made.luwid, 3)) == 8071
    assert batches.in_doubt(qm.engine, "QM1.QM2") == [made]


def test_another_queue_manager_cannot_decide(qm: Any) -> None:
    make_batch(qm, 1)
    assert refused(lambda: answer(qm, 0, 0, "ANOTHER")) == 8071


def test_programs_cannot_decide_or_imitate_a_batch(qm: Any) -> None:
    make_batch(qm, 1)
    (unit,) = qm.prepared()
    assert refused(lambda: qm.commit_prepared(unit["xid"])) == 4025
    assert refused(lambda: qm.backout_prepared(unit["xid"])) == 4025
    qm.begin()
    qm.put("QM2", b"x", persistent=True)
    assert refused(lambda: qm.prepare("CHANNEL/1:1:1:A:B")) == 2046
    qm.backout()


def test_another_name_that_begins_alike_is_a_programs(qm: Any) -> None:
    qm.begin()
    qm.put("QM2", b"x", persistent=True)
    qm.prepare("CHANNEL/of my own")
    qm.commit_prepared("CHANNEL/of my own")
    assert waiting(qm)[-1] == b""


@pytest.mark.parametrize("checkpoints", [0, 1, 2])
def test_a_restart_finds_batches_and_records_again(qm: Any, tmp_path: Path, checkpoints: int) -> None:
    one, two = make_batch(qm, 1), make_batch(qm, 3)
    answer(qm, one.luwid, 2)
    held = make_batch(qm, 3)
    with qm.gate:
        qm.engine.sync_book.write(RECEIVER, "QM2.QM1", "P", SyncRecord(7, 70, "inc"))
    qm.host.settle(qm.host.journal.end)
    for _ in range(checkpoints):
        qm.checkpoint()
    with restart(qm, tmp_path) as again:
        assert batches.in_doubt(again.engine, "QM1.QM2") == [held]
        assert held.luwid > two.luwid
        record = again.engine.sync_book.find(SENDER, "QM1.QM2", "P")
        assert (record.luwid, record.seq) == (one.luwid, 2)
        assert again.engine.sync_book.find(RECEIVER, "QM2.QM1", "P") == SyncRecord(7, 70, "inc")
        assert waiting(again) == [b"4", b"5"]
        answer(again, held.luwid, 4)
        assert waiting(again) == [b"4", b"5"]


@pytest.mark.parametrize("commits", [True, False])
def test_a_record_of_a_unit_holds_only_if_the_unit_is_committed(
    qm: Any, tmp_path: Path, commits: bool
) -> None:
    engine, now = qm.engine, time.time()
    with qm.gate:
        unit = engine.new_unit(None, now)
        engine.sync_book.write_in(unit, "QM2.QM1", "P", SyncRecord(5, 50))
        assert engine.sync_book.find(RECEIVER, "QM2.QM1", "P") == NONE
        if commits:
            engine.commit(unit, now)
    qm.host.settle(qm.host.journal.end)
    expected = SyncRecord(5, 50) if commits else NONE
    assert engine.sync_book.find(RECEIVER, "QM2.QM1", "P") == expected
    with restart(qm, tmp_path) as again:
        assert again.engine.sync_book.find(RECEIVER, "QM2.QM1", "P") == expected


def test_resolve_commits_or_backs_out_by_hand(qm: Any) -> None:
    make_batch(qm, 1)
    with qm.gate:
        assert batches.resolve(qm.engine, "QM1.QM2", False, None, time.time()) == 1
    assert len(waiting(qm)) == 6
    one, _ = make_batch(qm, 1), make_batch(qm, 3)
    assert refused(lambda: batches.resolve(qm.engine, "QM1.QM2", True, 999, time.time())) == 8072
    with qm.gate:
        assert batches.resolve(qm.engine, "QM1.QM2", True, one.luwid, time.time()) == 2
    assert waiting(qm) == [b"2", b"3", b"4", b"5"]
    assert refused(lambda: batches.resolve(qm.engine, "QM1.QM2", True, None, time.time())) == 8072


def test_reset_is_refused_in_doubt_and_kept_until_the_partner_has_it(qm: Any, tmp_path: Path) -> None:
    make_batch(qm, 1)
    assert refused(lambda: batches.reset_sender(qm.engine, "QM1.QM2", "P", 100)) == 4025
    answer(qm, 0, 0)
    with qm.gate:
        batches.reset_sender(qm.engine, "QM1.QM2", "P", 100)
    qm.host.settle(qm.host.journal.end)
    with restart(qm, tmp_path) as again:
        record = again.engine.sync_book.find(SENDER, "QM1.QM2", "P")
        assert (record.seq, record.reset) == (99, 100)


def test_a_folder_without_channels_is_written_as_before(qm: Any) -> None:
    from penstock.qmgr.restart import snapshot

    with qm.gate:
        taken = snapshot.take(qm.engine)
        taken.give_back(qm.engine)
    assert taken.values["version"] == 1
    assert "channels" not in taken.values


class Counted(dict[str, Any]):
    """A dictionary that counts how often something goes through all of it, and over how many entries."""

    seen = 0

    def __iter__(self) -> Iterator[str]:
        self.seen += len(self)
        return super().__iter__()

    items = values = keys = None  # type: ignore[assignment]


def test_the_start_of_a_channel_looks_at_no_batch_of_another(qm: Any, tmp_path: Path) -> None:
    """So that starts of many channels with batches in doubt take time as they are many, not its square."""
    for number in range(3):
        make_batch(qm, 1, partner=f"P{number}", channel=f"C{number}")
    qm = restart(qm, tmp_path)
    counted = qm.engine.in_doubt = Counted(qm.engine.in_doubt)
    looked: list[str] = []
    for number in range(3):
        (batch,) = batches.in_doubt(qm.engine, f"C{number}")
        looked.append(batch.partner)
        with qm.gate:
            record = SyncRecord(batch.luwid, batch.last)
            batches.resynchronise(qm.engine, f"C{number}", batch.partner, record, time.time())
        qm.host.settle(qm.host.journal.end)
    assert looked == ["P0", "P1", "P2"]
    assert (counted.seen, len(counted), waiting(qm)) == (0, 0, [])
    qm.close()
