"""Reading a journal that something happened to: a torn end is cut off, a damaged middle stops the start."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from penstock.model.errors import MQError
from penstock.store.file_header import FileHeader
from penstock.store.journal import create_journal, open_journal
from penstock.store.journal_reader import read_journal
from penstock.store.segments import FIRST_POSITION, SEGMENT_MAGIC, LogSettings, segment_name

TINY = LogSettings(file_pages=64)
SEGMENT = TINY.segment_bytes


def written(folder: Path, count: int = 40, size: int = 3000) -> list[int]:
    """A journal of `count` records, each synced by itself; their end positions."""
    create_journal(folder, TINY)
    journal = open_journal(folder, TINY, FIRST_POSITION)
    ends = []
    for n in range(count):
        ends.append(journal.append(1, b"%d " % n, bytes(size)))
        journal.wait(ends[-1])
    journal.close()
    return ends


def overwrite(folder: Path, position: int, data: bytes) -> None:
    with (folder / segment_name(position // SEGMENT)).open("r+b") as file:
        file.seek(position % SEGMENT)
        file.write(data)


def count_and_end(folder: Path, start: int = 0) -> tuple[int, int, str | None]:
    reading = read_journal(folder, start)
    return sum(1 for _ in reading), reading.end, reading.torn


def test_a_torn_last_write_is_cut_off_and_told(tmp_path: Path) -> None:
    ends = written(tmp_path)
    overwrite(tmp_path, ends[-1] - 100, b"\xff")
    count, end, torn = count_and_end(tmp_path)
    assert (count, end) == (39, ends[-2])
    assert torn is not None
    assert f"position {ends[-2]}" in torn


def test_a_bad_block_before_synced_ones_is_damage_with_position_and_advice(tmp_path: Path) -> None:
    ends = written(tmp_path)
    overwrite(tmp_path, ends[10] - 100, b"\xff")
    with pytest.raises(MQError) as caught:
        list(read_journal(tmp_path))
    assert caught.value.reason == 8002
    assert caught.value.fields["position"] == ends[9]
    assert segment_name(0) in str(caught.value)
    assert "backup" in str(caught.value)


def test_records_before_the_damage_are_still_handed_out(tmp_path: Path) -> None:
    ends = written(tmp_path)
    overwrite(tmp_path, ends[10] - 100, b"\xff")
    found = []
    with pytest.raises(MQError):
        found.extend(end for end, _, _ in read_journal(tmp_path))
    assert found == ends[:10]


def test_a_wiped_block_header_in_the_middle_is_damage(tmp_path: Path) -> None:
    ends = written(tmp_path)
    overwrite(tmp_path, ends[9], bytes(40))
    with pytest.raises(MQError, match="8002"):
        list(read_journal(tmp_path))


def test_damage_at_the_end_of_a_file_is_seen_by_the_next_file(tmp_path: Path) -> None:
    ends = written(tmp_path, count=120)
    last_in_file = max(end for end in ends if end < SEGMENT)
    overwrite(tmp_path, last_in_file - 100, b"\xff")
    with pytest.raises(MQError, match="8002"):
        list(read_journal(tmp_path))


def test_a_missing_file_in_the_middle_is_damage(tmp_path: Path) -> None:
    written(tmp_path, count=250)
    (tmp_path / segment_name(1)).unlink()
    with pytest.raises(MQError, match="8002"):
        list(read_journal(tmp_path))


def test_a_missing_first_file_is_damage_for_a_restart_that_needs_it(tmp_path: Path) -> None:
    ends = written(tmp_path, count=250)
    (tmp_path / segment_name(0)).unlink()
    with pytest.raises(MQError, match="8002"):
        list(read_journal(tmp_path, ends[0]))
    assert count_and_end(tmp_path, ends[200])[0] == 49


def test_a_broken_file_header_before_good_blocks_is_damage(tmp_path: Path) -> None:
    written(tmp_path, count=120)
    with (tmp_path / segment_name(1)).open("r+b") as file:
        file.write(b"garbage")
    with pytest.raises(MQError, match="8002"):
        list(read_journal(tmp_path))


def test_a_journal_that_ends_before_the_restart_position_is_damage(tmp_path: Path) -> None:
    ends = written(tmp_path, count=10)
    with pytest.raises(MQError, match="8002"):
        list(read_journal(tmp_path, ends[-1] + 8))
    with pytest.raises(MQError, match="8002"):
        list(read_journal(tmp_path, ends[-1] + 3 * SEGMENT))


@pytest.mark.parametrize("new", [{"version": 2}, {"features": 1}])
def test_a_newer_format_is_refused_with_advice(tmp_path: Path, new: dict[str, int]) -> None:
    written(tmp_path, count=1)
    newer = FileHeader(SEGMENT_MAGIC, TINY.file_pages, 1, 0, **new).encode()
    overwrite(tmp_path, 0, newer)
    with pytest.raises(MQError, match="release that wrote it") as caught:
        read_journal(tmp_path)
    assert caught.value.reason == 8003


def test_a_file_of_another_journal_is_refused(tmp_path: Path) -> None:
    written(tmp_path / "a", count=120)
    written(tmp_path / "b", count=120)
    (tmp_path / "b" / segment_name(1)).replace(tmp_path / "a" / segment_name(1))
    with pytest.raises(MQError, match=r"8016|8002"):
        list(read_journal(tmp_path / "a"))


def test_no_folder_and_no_files_are_told(tmp_path: Path) -> None:
    for folder in (tmp_path / "nowhere", tmp_path):
        with pytest.raises(MQError) as caught:
            read_journal(folder)
        assert caught.value.reason == 8015


def test_any_damage_gives_an_error_or_a_prefix_never_a_crash(tmp_path: Path) -> None:
    """Random bytes anywhere in the files: the process lives, and no record is changed or invented."""
    ends = written(tmp_path, count=200, size=1500)
    original = [(tmp_path / segment_name(n)).read_bytes() for n in range(2)]
    good = [bytes(payload) for _, _, payload in read_journal(tmp_path)]
    random_ = random.Random(20260101)
    outcomes = set()
    for round_ in range(150):
        number = random_.randrange(2)
        data = bytearray(original[number])
        for _ in range(random_.choice((1, 1, 3, 50))):
            at = random_.randrange(ends[-1] % SEGMENT if number else SEGMENT)
            data[at : at + random_.randrange(1, 9)] = random_.randbytes(random_.randrange(0, 9))
        (tmp_path / segment_name(number)).write_bytes(data[: random_.choice((len(data), len(data), 70_000))])
        found: list[bytes] = []
        try:
            for _, _, payload in read_journal(tmp_path):
                found.append(bytes(payload))
            outcomes.add("read")
        except MQError as refused:
            outcomes.add(str(refused.reason))
        assert found == good[: len(found)], f"round {round_}"
        (tmp_path / segment_name(number)).write_bytes(original[number])
    assert {"8002"} <= outcomes
