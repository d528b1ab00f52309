"""Shared message data sets: what was written is read, and nothing else ever is."""

from __future__ import annotations

import errno
import os
import random
from typing import TYPE_CHECKING, Any

import pytest

from penstock.model.errors import MQError
from penstock.store.body_reference import PAGE_BYTES, BodyReference, decode_reference, pages_for
from penstock.store.data_set_header import DataSetIdentity
from penstock.store.failures import file_failure
from penstock.store.faults import LOSE_ALL, Faults
from penstock.store.files import Files
from penstock.store.shared_data_set import SharedDataSet, open_data_set
from penstock.store.shared_data_set_reader import SharedDataSetReader
from penstock.store.space_map import SpaceMap
from tests.patience import until

if TYPE_CHECKING:
    from pathlib import Path

IDENTITY = DataSetIdentity("QSG1", "APPL1", "QM1")
BLOCK_BYTES = 64 << 10
SMALL_BYTES = 1 << 20


def opened(path: Path, **changed: Any) -> SharedDataSet:
    options: dict[str, Any] = {"block_bytes": BLOCK_BYTES, "incarnation": 7, "member": 1}
    options |= {"initial_bytes": SMALL_BYTES} | changed
    return open_data_set(path, IDENTITY, **options)


def bodies(count: int, length: int) -> list[bytes]:
    chance = random.Random(count * length)
    return [chance.randbytes(length) for _ in range(count)]


def test_bodies_of_all_sizes_are_read_by_another_descriptor_as_written(tmp_path: Path) -> None:
    data_set = opened(tmp_path / "QM1" / "APPL1", initial_bytes=32 << 20)
    written = [
        (data_set.write(body), body)
        for length in (0, 1, PAGE_BYTES - 40, PAGE_BYTES - 39, BLOCK_BYTES, 100_000, 9 << 20)
        for body in bodies(1, length)
    ]
    data_set.sync()
    reader = SharedDataSetReader(data_set.path)
    for reference, body in written:
        assert reader.read(decode_reference(reference.encode())) == body
    data_set.close()


def test_a_body_begins_at_the_next_page_and_space_is_used_again_after_release(tmp_path: Path) -> None:
    data_set = opened(tmp_path / "APPL1")
    first, second = data_set.write(b"a" * 1000), data_set.write(b"b" * 3000)
    assert second.extents == ((first.extents[0][0] + 1, 1),)
    used = data_set.map.used
    for _ in range(500):  # far more than the data set holds
        data_set.release(data_set.write(b"c" * 30_000).extents)
    assert data_set.map.used == used
    assert data_set.map.pages * PAGE_BYTES == SMALL_BYTES
    data_set.close()


def test_a_map_saved_at_a_clean_close_serves_the_next_start(tmp_path: Path) -> None:
    data_set = opened(tmp_path / "APPL1")
    kept = data_set.write(b"kept" * 5000)
    used = data_set.map.used
    data_set.close()
    again = opened(tmp_path / "APPL1", incarnation=8)
    assert not again.needs_rebuild
    assert not again.is_new
    assert again.map.used == used
    other = again.write(b"other" * 5000)
    assert not set(pages_of(kept)) & set(pages_of(other))
    assert SharedDataSetReader(again.path).read(kept) == b"kept" * 5000
    again.close()


def pages_of(reference: BodyReference) -> list[int]:
    return [page for first, count in reference.extents for page in range(first, first + count)]


def test_without_a_clean_close_nothing_is_written_before_the_map_is_rebuilt(tmp_path: Path) -> None:
    data_set = opened(tmp_path / "APPL1")
    kept = [data_set.write(body) for body in bodies(10, 20_000)]
    data_set.write(b"its round never happened" * 1000)
    data_set.abandon()
    again = opened(tmp_path / "APPL1")
    with pytest.raises(MQError, match="2561"):
        again.write(b"x")
    assert again.rebuild(each.encode() for each in kept) == 10
    assert again.map.used == 1 + sum(pages_for(20_000) for _ in kept)
    taken = {page for each in kept for page in pages_of(each)}
    assert not taken & set(pages_of(again.write(b"y" * 200_000)))
    again.close()


@pytest.mark.parametrize("damage", ["map", "cut"])
def test_a_damaged_saved_map_is_rebuilt(tmp_path: Path, damage: str) -> None:
    data_set = opened(tmp_path / "APPL1")
    kept = data_set.write(b"kept" * 5000)
    data_set.close()
    place = data_set.map.pages * PAGE_BYTES
    with data_set.path.open("r+b") as file:
        file.seek(place)
        file.truncate() if damage == "cut" else file.write(b"\xff")
    again = opened(tmp_path / "APPL1")
    assert again.needs_rebuild
    assert again.rebuild([kept.encode()]) == 1
    again.close()


def test_a_map_is_not_believed_after_a_later_crash(tmp_path: Path) -> None:
    data_set = opened(tmp_path / "APPL1")
    data_set.close()
    again = opened(tmp_path / "APPL1")
    again.write(b"not in the saved map" * 1000)
    again.abandon()
    assert opened(tmp_path / "APPL1").needs_rebuild


def test_references_that_overlap_are_refused_by_a_rebuild(tmp_path: Path) -> None:
    data_set = opened(tmp_path / "APPL1")
    one = data_set.write(b"x" * 9000)
    data_set.abandon()
    with pytest.raises(MQError, match="2561"):
        opened(tmp_path / "APPL1").rebuild([one.encode(), one.encode()])


@pytest.mark.parametrize("tear_bytes", [0, 20, 40, 5000, 60_000])
@pytest.mark.parametrize("operation", [1, 2])
def test_a_torn_extent_is_never_returned(tmp_path: Path, tear_bytes: int, operation: int) -> None:
    opened(tmp_path / "APPL1").close()
    counting = Faults()
    opened(tmp_path / "APPL1", files=Files(counting)).abandon()
    opened(tmp_path / "APPL1").rebuild([])
    faults = Faults(stop_at=operation + 1, tear_bytes=tear_bytes, lose=LOSE_ALL)
    data_set = opened(tmp_path / "APPL1", files=Files(faults))
    data_set.needs_rebuild = False
    body = bodies(1, 100_000)[0]
    expected = BodyReference(2, 1, len(body), 0, 1, 7, ((1, 15), (16, 10)))
    try:
        expected = data_set.write(body)
        data_set.write(body)
        data_set.sync()
    except MQError:
        pass
    try:
        found = SharedDataSetReader(data_set.path).read(expected)
    except MQError as refused:
        assert refused.reason == 2561
    else:
        assert found == body


def test_a_damaged_byte_anywhere_in_a_body_is_found(tmp_path: Path) -> None:
    data_set = opened(tmp_path / "APPL1")
    reference = data_set.write(bodies(1, 20_000)[0])
    page = reference.extents[0][0]
    for offset in (0, 5, 12, 39, 40, 20_039):
        with data_set.path.open("r+b") as file:
            file.seek(page * PAGE_BYTES + offset)
            byte = file.read(1)
            file.seek(-1, os.SEEK_CUR)
            file.write(bytes([byte[0] ^ 1]))
        with pytest.raises(MQError, match="2561"):
            SharedDataSetReader(data_set.path).read(reference)
        with data_set.path.open("r+b") as file:
            file.seek(page * PAGE_BYTES + offset)
            file.write(byte)
    assert SharedDataSetReader(data_set.path).read(reference) is not None
    data_set.close()


def test_pages_rewritten_behind_a_reader_are_not_taken_for_the_old_body(tmp_path: Path) -> None:
    data_set = opened(tmp_path / "APPL1")
    body = b"same bytes" * 1000
    old = data_set.write(body)
    data_set.release(old.extents)
    data_set.abandon()
    again = opened(tmp_path / "APPL1", incarnation=8)
    again.rebuild([])
    new = again.write(body)
    assert new.extents == old.extents
    reader = SharedDataSetReader(again.path)
    assert reader.read(new) == body
    assert reader.read(old, still_there=lambda: False) is None
    with pytest.raises(MQError, match="2561"):
        reader.read(old)
    again.close()


def test_a_stale_view_is_read_again_from_a_fresh_descriptor(tmp_path: Path) -> None:
    data_set = opened(tmp_path / "APPL1")
    reference = data_set.write(b"new" * 3000)
    fresh = data_set.path.read_bytes()
    stale = tmp_path / "stale"
    stale.write_bytes(bytes(len(fresh)))
    reader = SharedDataSetReader(stale)
    asked: list[int] = []

    def still_there() -> bool:
        asked.append(1)
        other = tmp_path / "other"
        other.write_bytes(fresh)
        other.replace(stale)  # the name shows the new file, the old descriptor does not
        return True

    assert reader.read(reference, still_there) == b"new" * 3000
    assert asked == [1]
    data_set.close()


def test_a_missing_file_is_2561_for_a_reader(tmp_path: Path) -> None:
    reference = BodyReference(2, 1, 5, 0, 1, 7, ((1, 1),))
    with pytest.raises(MQError, match="2561"):
        SharedDataSetReader(tmp_path / "none").read(reference)


def test_a_data_set_of_another_owner_or_with_a_damaged_head_is_refused(tmp_path: Path) -> None:
    opened(tmp_path / "APPL1").close()
    with pytest.raises(MQError, match="belongs to QM1"):
        open_data_set(
            tmp_path / "APPL1",
            DataSetIdentity("QSG1", "APPL1", "QM2"),
            block_bytes=BLOCK_BYTES,
            incarnation=1,
            member=2,
        )
    with (tmp_path / "APPL1").open("r+b") as file:
        file.seek(60)
        file.write(b"?")
    with pytest.raises(MQError, match="first page is damaged"):
        opened(tmp_path / "APPL1")


def test_a_file_allocated_ahead_is_formatted_in_its_size(tmp_path: Path) -> None:
    path = tmp_path / "APPL1"
    with path.open("wb") as file:
        file.truncate(3 * SMALL_BYTES)
    events: list[str] = []
    data_set = opened(path, notify=lambda event, _fields: events.append(event))
    assert data_set.is_new
    assert data_set.map.pages * PAGE_BYTES == 3 * SMALL_BYTES
    assert events == ["formatting", "formatted"]
    data_set.close()


def test_a_full_data_set_grows_while_writes_go_on(tmp_path: Path) -> None:
    events: list[tuple[str, dict[str, Any]]] = []
    data_set = opened(tmp_path / "APPL1", notify=lambda event, fields: events.append((event, fields)))
    data_set.expansion.secondary_bytes = SMALL_BYTES
    written = [(data_set.write(body), body) for body in bodies(60, 50_000)]  # three times its size
    until(lambda: "expanded" in [event for event, _ in events])
    assert data_set.map.pages * PAGE_BYTES >= 3 * SMALL_BYTES
    assert ("percent", {"percent": 90}) in events
    data_set.sync()
    data_set.abandon()
    again = opened(tmp_path / "APPL1")
    assert again.rebuild(reference.encode() for reference, _ in written) == 60
    reader = SharedDataSetReader(again.path)
    assert [reader.read(reference) for reference, _ in written] == [body for _, body in written]
    again.close()


def test_without_expansion_a_full_data_set_refuses_with_2192_and_recovers(tmp_path: Path) -> None:
    events: list[str] = []
    data_set = opened(tmp_path / "APPL1", notify=lambda event, _fields: events.append(event))
    data_set.expansion.allow(False)
    references = []
    with pytest.raises(MQError, match="2192"):
        references.extend(data_set.write(b"x" * 50_000) for _ in range(100))
    references = [data_set.write(b"y") for _ in range(data_set.map.free)]
    assert "full" in events
    assert data_set.map.free == 0
    data_set.release(references[0].extents)
    data_set.write(b"fits again")
    data_set.close()


def test_a_full_disk_ends_the_expansion_and_keeps_the_data_set(tmp_path: Path) -> None:
    events: list[str] = []
    data_set = opened(
        tmp_path / "APPL1", files=SmallDisk(), notify=lambda event, _fields: events.append(event)
    )
    kept = []
    with pytest.raises(MQError, match="2192"):
        kept.extend(data_set.write(b"x" * 10_000) for _ in range(1000))
    assert data_set.expansion.status == "FAILED"
    assert not data_set.expansion.is_allowed
    assert "expansion failed" in events
    assert events[-1] == "full"
    reader = SharedDataSetReader(data_set.path)
    assert all(reader.read(reference) == b"x" * 10_000 for reference in kept)
    data_set.abandon()


class SmallDisk(Files):
    """A disk with room for the first megabyte of a file."""

    def write(self, fd: int, path: Path, data: bytes | bytearray | memoryview, offset: int) -> None:
        if offset + len(data) > SMALL_BYTES:
            raise file_failure(OSError(errno.ENOSPC, "No space left on device"), "writing", path)
        super().write(fd, path, data, offset)


def test_a_write_that_fails_gives_its_pages_back(tmp_path: Path) -> None:
    data_set = opened(tmp_path / "APPL1", files=SmallDisk())
    used = data_set.map.used
    data_set.map.grow(1024)
    with pytest.raises(MQError, match="8005"):
        data_set.write(b"x" * (2 << 20))
    assert data_set.map.used == used
    data_set.abandon()


def test_the_map_gives_every_page_once_in_any_order_of_taking_and_releasing() -> None:
    chance = random.Random(5)
    space = SpaceMap(64 * 16, 16)
    held: list[list[tuple[int, int]]] = []
    owned = {0}
    for _ in range(3000):
        if held and chance.random() < 0.48:
            for page, pages in held.pop(chance.randrange(len(held))):
                assert space.release(page, pages)
                owned -= set(range(page, page + pages))
        elif (extents := space.take(chance.choice((1, 1, 3, 17, 40)))) is not None:
            held.append(extents)
            for page, pages in extents:
                taken = set(range(page, page + pages))
                assert not taken & owned
                owned |= taken
        assert space.used == len(owned)
    copy = SpaceMap(64 * 16, 16)
    copy.load(space.encode())
    assert copy.used == space.used
    assert copy.blocks_used == space.blocks_used
    assert not space.release(1, 0)
    assert not space.release(0, 1)


def test_releasing_twice_does_nothing() -> None:
    space = SpaceMap(64, 16)
    (extent,) = space.take(3) or []
    assert space.release(*extent)
    assert not space.release(*extent)
    assert space.used == 1
