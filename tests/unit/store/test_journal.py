"""The journal: what is appended and waited for is read back, whatever its size and number of files."""

from __future__ import annotations

import errno
import os
import select
import threading
from pathlib import Path

import pytest

from penstock.model.errors import MQError
from penstock.store.faults import LOSE_OLDEST, Faults
from penstock.store.journal import Journal, create_journal, open_journal
from penstock.store.journal_reader import read_journal
from penstock.store.segments import (
    FIRST_POSITION,
    PAGE_BYTES,
    LogSettings,
    LogType,
    segment_name,
    segment_numbers,
)
from tests.patience import SECONDS, attempts, until

TINY = LogSettings(file_pages=64, primary_files=2, secondary_files=2, buffer_pages=1)
SEGMENT = TINY.segment_bytes


def new_journal(folder: Path, faults: Faults | None = None, settings: LogSettings = TINY) -> Journal:
    create_journal(folder, settings)
    return open_journal(folder, settings, FIRST_POSITION, faults)


def records_of(folder: Path, start: int = 0) -> list[tuple[int, int, bytes]]:
    return [(end, kind, bytes(payload)) for end, kind, payload in read_journal(folder, start)]


def wait_until_written(journal: Journal) -> None:
    until(lambda: not journal.buffered, pause=0.001)


def test_what_was_waited_for_is_read_back_in_order(tmp_path: Path) -> None:
    journal = new_journal(tmp_path)
    ends = [journal.append(kind, b"head%d" % kind, b"body" * kind) for kind in range(1, 50)]
    assert journal.wait(ends[-1])
    assert journal.durable == journal.end == ends[-1]
    journal.close()
    expected = [(ends[k - 1], k, b"head%d" % k + b"body" * k) for k in range(1, 50)]
    assert records_of(tmp_path) == expected


def test_reading_may_begin_at_any_records_end(tmp_path: Path) -> None:
    journal = new_journal(tmp_path)
    ends = [journal.append(1, b"", b"x" * 3000) for _ in range(200)]
    journal.close()
    for i in (0, 1, 86, 87, 88, 150, 199):
        assert [end for end, _, _ in records_of(tmp_path, ends[i])] == ends[i + 1 :]


def test_an_empty_journal_is_empty_and_goes_on(tmp_path: Path) -> None:
    journal = new_journal(tmp_path)
    journal.close()
    reading = read_journal(tmp_path, FIRST_POSITION)
    assert list(reading) == []
    assert (reading.end, reading.torn) == (FIRST_POSITION, None)


def test_a_record_larger_than_a_file_is_split_and_joined(tmp_path: Path) -> None:
    journal = new_journal(tmp_path)
    small, large = os.urandom(100), os.urandom(5 * SEGMENT + 13)
    for body in (small, large, small):
        journal.append(7, b"h", body)
    journal.close()
    assert [payload for _, _, payload in records_of(tmp_path)] == [b"h" + small, b"h" + large, b"h" + small]


def test_a_record_of_100_mb_passes_through_files_of_256_kb(tmp_path: Path) -> None:
    journal = new_journal(tmp_path)
    body = os.urandom(1 << 20) * 100
    assert journal.wait(journal.append(1, b"head", body))
    journal.close()
    [(_, _, payload)] = read_journal(tmp_path)
    assert payload[:4] == b"head"
    assert payload[4:] == body


def test_a_large_body_that_nobody_else_keeps_is_written_as_it_was(tmp_path: Path) -> None:
    """The writer copies it later: its memory must not be used for anything else until then."""
    journal = new_journal(tmp_path)
    for number in range(8):
        journal.append(1, b"%d" % number, bytes([number]) * (1 << 20))  # nobody has it afterwards
        bytes([99]) * (1 << 20)
    journal.wait(journal.append(1, b"last"))
    assert journal.durable == journal.end
    journal.close()
    found = [payload for _, _, payload in records_of(tmp_path)]
    assert found == [*(b"%d" % number + bytes([number]) * (1 << 20) for number in range(8)), b"last"]


@pytest.mark.parametrize("left", range(0, 140, 4))
def test_every_distance_to_the_end_of_a_file_works(tmp_path: Path, left: int) -> None:
    journal = new_journal(tmp_path)
    first = b"x" * (SEGMENT - PAGE_BYTES - 40 - 16 - left)
    records = [first, b"", b"second" * 40, b"third"]
    for record in records:
        journal.wait(journal.append(1, record))
    journal.close()
    assert [payload for _, _, payload in records_of(tmp_path)] == records


def test_going_on_after_a_restart_keeps_positions_and_records(tmp_path: Path) -> None:
    journal = new_journal(tmp_path)
    for life in range(5):
        for _ in range(30):
            journal.append(life, b"", b"y" * 4000)
        journal.close()
        reading = read_journal(tmp_path)
        assert [kind for _, kind, _ in reading] == [k for k in range(life + 1) for _ in range(30)]
        journal = open_journal(tmp_path, TINY, reading.end)
    journal.close()


def test_nothing_is_synced_that_nobody_asked_for(tmp_path: Path) -> None:
    journal = new_journal(tmp_path)
    journal.append(1, b"small")
    assert journal.buffered > 0
    assert journal.durable == FIRST_POSITION
    journal.append(1, b"", b"past the log buffer" * 1000)
    wait_until_written(journal)
    assert journal.statistics().syncs == 0
    journal.close()
    assert journal.statistics().syncs == 1


def test_request_makes_it_durable_without_a_wait_and_rings(tmp_path: Path) -> None:
    journal = new_journal(tmp_path)
    end = journal.append(1, b"record")
    journal.request(end)
    assert select.select([journal.eventfd], [], [], SECONDS)[0]
    assert os.read(journal.eventfd, 8)
    assert journal.durable == end
    journal.close()


def test_wait_has_a_time_limit_and_refuses_what_is_beyond_the_end(tmp_path: Path) -> None:
    journal = new_journal(tmp_path)
    assert journal.wait(journal.append(1, b"x"), timeout=0) in (True, False)
    with pytest.raises(ValueError, match="beyond"):
        journal.wait(journal.end + 1)
    journal.close()


def test_a_closed_journal_says_so(tmp_path: Path) -> None:
    journal = new_journal(tmp_path)
    journal.close()
    journal.close()
    with pytest.raises(MQError, match="closed") as caught:
        journal.append(1, b"late")
    assert caught.value.reason == 8004


def test_threads_that_append_and_wait_share_syncs(tmp_path: Path) -> None:
    journal = new_journal(tmp_path)
    done: list[tuple[int, bytes]] = []

    def produce(name: int) -> None:
        for n in range(150):
            body = b"%d.%d" % (name, n)
            end = journal.append(name, b"", body)
            assert journal.wait(end)
            done.append((end, body))

    threads = [threading.Thread(target=produce, args=(name,)) for name in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    syncs = journal.statistics().syncs
    journal.close()
    assert [(end, payload) for end, _, payload in records_of(tmp_path)] == sorted(done)
    assert syncs <= 8 * 150


def test_housekeeping_and_closing_beside_busy_producers(tmp_path: Path) -> None:
    journal = new_journal(tmp_path)
    told: list[int] = []
    stopped: list[int] = []

    def produce() -> None:
        try:
            while True:
                end = journal.append(1, b"", bytes(9000))
                journal.wait(end)
                told.append(end)
        except MQError as closed:
            stopped.append(closed.reason)

    threads = [threading.Thread(target=produce) for _ in range(6)]
    for thread in threads:
        thread.start()
    start = 0
    for _ in attempts():
        journal.prepare_ahead()
        start = journal.durable
        journal.release(start)
        if len(told) >= 300:
            break
    journal.close()
    for thread in threads:
        thread.join(60)
    assert stopped == [8004] * 6
    found = {end for end, _, _ in records_of(tmp_path, start)}
    assert {end for end in told if end > start} <= found


def test_append_waits_for_the_writer_when_too_much_is_unwritten(tmp_path: Path) -> None:
    journal = new_journal(tmp_path)
    journal.buffer_bytes_max = 20_000
    most = []

    def produce() -> None:
        for _ in range(300):
            journal.append(1, b"", bytes(3000))
            most.append(journal.buffered)

    threads = [threading.Thread(target=produce) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    journal.close()
    assert max(most) < 2 * (20_000 + 4000)
    assert len(records_of(tmp_path)) == 1200


def test_released_files_are_used_again_and_never_read_as_new(tmp_path: Path) -> None:
    journal = new_journal(tmp_path)
    for n in range(400):
        end = journal.append(1, b"", b"%d" % n + b"z" * 5000)
        if n % 20 == 19:
            journal.wait(end)
            journal.release(end)
            journal.prepare_ahead()
    assert len(segment_numbers(tmp_path)) <= 4
    assert segment_numbers(tmp_path)[0] > 1
    tail = journal.tail
    last = journal.append(2, b"last")
    journal.close()
    assert records_of(tmp_path, tail) == [(last, 2, b"last")]


def test_used_and_capacity_speak_of_the_tail(tmp_path: Path) -> None:
    journal = new_journal(tmp_path)
    assert journal.capacity == 4 * SEGMENT
    end = journal.append(1, b"", bytes(10_000))
    assert journal.used == end
    journal.wait(end)
    journal.release(end)
    assert journal.used == 0
    journal.close()


def test_linear_logging_keeps_files_that_restart_does_not_need(tmp_path: Path) -> None:
    linear = LogSettings(log_type=LogType.LINEAR, file_pages=64)
    journal = new_journal(tmp_path / "log", settings=linear)
    end = journal.append(1, b"", bytes(3 * SEGMENT))
    journal.wait(end)
    journal.release(end)
    assert segment_numbers(tmp_path / "log") == [0, 1, 2, 3]
    journal.close()


def test_statistics_count_records_and_syncs(tmp_path: Path) -> None:
    journal = new_journal(tmp_path)
    for _ in range(3):
        journal.wait(journal.append(1, b"x"))
    figures = journal.statistics()
    assert (figures.records, figures.syncs, figures.batch_records_max) == (3, 3, 1)
    assert 0 < figures.sync_seconds_mean <= figures.sync_seconds_max
    assert figures.batch_records_mean == 1.0
    journal.close()


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
def test_a_failed_write_or_sync_stops_the_writer_for_good(tmp_path: Path, code: int) -> None:
    for n, what in ((2, "write to"), (3, "sync of")):  # 1 is the sync at opening
        journal = new_journal(tmp_path / str(n), Faults(stop_at=n, error=code))
        end = journal.append(1, b"x")
        for _ in range(2):
            with pytest.raises(MQError, match=what) as caught:
                journal.wait(end)
            assert caught.value.reason == 8004
            assert os.strerror(code) in str(caught.value)
        with pytest.raises(MQError):
            journal.append(1, b"y")
        with pytest.raises(MQError):
            journal.close()


def test_a_full_disk_fails_the_preparation_and_gives_space_back(tmp_path: Path) -> None:
    journal = new_journal(tmp_path, Faults(stop_at=2, error=errno.ENOSPC, lasting=False))
    with pytest.raises(MQError) as caught:
        journal.prepare_ahead()
    assert caught.value.reason == 8005
    assert [path.name for path in tmp_path.iterdir()] == [segment_name(0)]
    journal.wait(journal.append(1, b"still works"))
    assert journal.prepare_ahead()
    journal.close()


def test_a_read_only_file_system_is_told(tmp_path: Path) -> None:
    create_journal(tmp_path, TINY)
    with pytest.raises(MQError) as caught:
        open_journal(tmp_path, TINY, FIRST_POSITION, Faults(stop_at=1, error=errno.EROFS))
    assert caught.value.reason == 8006
    with pytest.raises(MQError) as caught:
        create_journal(tmp_path / "new", TINY, Faults(stop_at=1, error=errno.EACCES))
    assert caught.value.reason == 8006


def test_a_waiter_in_another_thread_is_told_of_the_stop(tmp_path: Path) -> None:
    journal = new_journal(tmp_path, Faults(stop_at=3))
    end = journal.append(1, b"x")
    told: list[int] = []

    def wait() -> None:
        try:
            journal.wait(end)
        except MQError as stopped:
            told.append(stopped.reason)

    threads = [threading.Thread(target=wait) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert told == [8004] * 4
    with pytest.raises(MQError):
        journal.close()


def test_a_block_behind_a_lost_one_never_comes_back(tmp_path: Path) -> None:
    """Two writes, no sync, power cut: the second reached the disk, the first did not.

    After the restart a record as long as the lost one ends just where the stale block begins.
    """
    journal = new_journal(tmp_path, Faults(stop_at=4, lose=LOSE_OLDEST))
    for body in (b"A" * 5000, b"B" * 5000):
        end = journal.append(1, b"", body)
        wait_until_written(journal)
    with pytest.raises(MQError):
        journal.wait(end)
    with pytest.raises(MQError):
        journal.close()
    assert b"B" * 5000 in (tmp_path / segment_name(0)).read_bytes()
    reading = read_journal(tmp_path)
    assert list(reading) == []
    journal = open_journal(tmp_path, TINY, reading.end)
    journal.append(1, b"", b"C" * 5000)
    journal.close()
    assert [payload for _, _, payload in records_of(tmp_path)] == [b"C" * 5000]


def test_an_end_without_its_file_is_refused(tmp_path: Path) -> None:
    create_journal(tmp_path, TINY)
    with pytest.raises(MQError, match="8015"):
        open_journal(tmp_path, TINY, 5 * SEGMENT + 9000)


def test_a_dead_process_of_python_does_not_hang_on_exit(tmp_path: Path) -> None:
    """A journal that nobody closed is given up without a sync, as a crash would."""
    journal = new_journal(tmp_path)
    journal.append(1, b"never promised")
    del journal
    assert records_of(tmp_path) == []


def test_the_child_of_a_fork_leaves_the_parents_journal_alone(tmp_path: Path) -> None:
    journal = new_journal(tmp_path)
    journal.append(1, b"the parent's")
    child = os.fork()
    if child == 0:
        journal.finish()
        del journal
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    journal.close()
    assert len(records_of(tmp_path)) == 1


@pytest.mark.parametrize("verb", ["append", "wait", "request"])
def test_the_child_of_a_fork_cannot_write_to_the_parents_journal(tmp_path: Path, verb: str) -> None:
    journal = new_journal(tmp_path)
    end = journal.append(1, b"the parent's")
    arguments = (1, b"the child's") if verb == "append" else (end,)
    child = os.fork()
    if child == 0:
        try:
            getattr(journal, verb)(*arguments)
        except MQError as failure:
            os._exit(0 if failure.reason == 8004 else 1)
        os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    journal.close()
    assert [payload for _, _, payload in records_of(tmp_path)] == [b"the parent's"]
