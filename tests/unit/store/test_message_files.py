"""Message files: what a manifest names is there, what is beyond it is not, dead files go in time."""

from __future__ import annotations

import errno
import os
import random
from pathlib import Path

import pytest

from penstock.model.errors import MQError
from penstock.store import message_files
from penstock.store.faults import Faults
from penstock.store.file_header import FileHeader
from penstock.store.manifest import Manifest, decode_manifest
from penstock.store.message_files import MessageFiles


def loaded(folder: Path, manifest: Manifest) -> list[tuple[int, bytes, bytes, int]]:
    files = MessageFiles(folder)
    found = [(location, head, bytes(body), value) for location, head, body, value in files.load(manifest)]
    files.close()
    return found


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_records_are_read_back_in_the_order_asked(tmp_path: Path) -> None:
    files = MessageFiles(tmp_path, file_bytes=10_000)
    records = [(b"head %d" % n, os.urandom(n * 37 % 5000)) for n in range(60)]
    locations = files.write(records)
    order = random.Random(5).sample(range(60), 60)
    assert files.read([locations[n] for n in order]) == [records[n] for n in order]
    assert len(files.usage()) == 1  # one write stays together
    files.write(records)
    assert len(files.usage()) == 2
    assert all(location > 0 for location in locations)


def test_neighbours_share_a_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = MessageFiles(tmp_path)
    locations = files.write([(b"h", b"%03d" % n + b"x" * 500) for n in range(1000)])
    reads = []
    pread = os.pread
    monkeypatch.setattr(os, "pread", lambda *a: reads.append(a) or pread(*a))
    assert len(files.read(locations)) == 1000
    assert len(reads) == 1
    assert len(files.read([locations[0], locations[-1]])) == 2
    assert len(reads) == 3


def test_a_body_that_records_share_is_written_once(tmp_path: Path) -> None:
    files = MessageFiles(tmp_path)
    body, other = os.urandom(100_000), os.urandom(5000)
    records = [(b"head %d" % n, body if n % 3 else other) for n in range(90)]
    locations = files.write(records) + files.write([(b"later", records[-1][1])])
    assert files.usage()[0].bytes < 150_000
    found = files.read(locations)
    assert found == [*records, (b"later", records[-1][1])]
    assert len({id(body) for _, body in found}) == 2  # one object in memory too
    manifest = files.sync()
    files.close()
    assert [(head, body) for _, head, body, _ in loaded(tmp_path, manifest)] == found


def test_a_shared_body_outlives_the_record_that_has_it(tmp_path: Path) -> None:
    files = MessageFiles(tmp_path, file_bytes=50_000)
    body = os.urandom(60_000)
    first, second = files.write([(b"1", body), (b"2", body)])
    files.discard(first)
    (third,) = files.write([(b"3", body)])  # in a file of its own, which has no record with the body
    manifest = files.sync()
    assert files.read([second, third]) == [(b"2", body), (b"3", body)]
    files.close()
    files = MessageFiles(tmp_path)
    assert [bytes(held) for _, _, held, _ in files.load(manifest)] == [body, body]
    files.discard(second)
    assert [extent.number for extent in files.sync().extents] == [third >> 32]


def test_small_bodies_stand_by_themselves(tmp_path: Path) -> None:
    files = MessageFiles(tmp_path)
    assert files.read(files.write([(b"h", b"small")] * 3)) == [(b"h", b"small")] * 3


def test_a_file_of_an_older_release_gets_no_shared_bodies(tmp_path: Path) -> None:
    files = MessageFiles(tmp_path)
    files.write([(b"h", b"first")])
    manifest = files.sync()
    files.close()
    path = tmp_path / "M0000001.DAT"
    old = FileHeader(b"PSTKMSGS", 1, 0, 1).encode()
    path.write_bytes(old + path.read_bytes()[len(old) :])
    files = MessageFiles(tmp_path)
    list(files.load(manifest))
    body = os.urandom(1000)
    files.write([(b"1", body), (b"2", body)])
    files.sync()
    assert path.read_bytes().count(body) == 2


def test_a_damaged_shared_body_is_8010(tmp_path: Path) -> None:
    files = MessageFiles(tmp_path)
    body = os.urandom(1000)
    _, second = files.write([(b"1", body), (b"2", body)])
    files.sync()
    path = tmp_path / "M0000001.DAT"
    data = bytearray(path.read_bytes())
    data[4096 + 100] ^= 1
    path.write_bytes(data)
    with pytest.raises(MQError) as failure:
        files.read([second])
    assert failure.value.reason == 8010


def test_a_body_of_100_mb_is_kept(tmp_path: Path) -> None:
    files = MessageFiles(tmp_path)
    body = bytes(range(256)) * (100 << 12)
    [small, large] = files.write([(b"s", b"small"), (b"l", body)])
    assert files.read([large, small]) == [(b"l", body), (b"s", b"small")]
    manifest = files.sync()
    files.close()
    assert [len(record[2]) for record in loaded(tmp_path, manifest)] == [5, 100 << 20]


def test_load_gives_live_records_with_their_amended_value(tmp_path: Path) -> None:
    files = MessageFiles(tmp_path)
    locations = files.write([(b"h%d" % n, b"b%d" % n) for n in range(6)])
    files.discard(locations[1])
    files.discard(locations[1])
    files.amend(locations[2], 7)
    files.sync()
    files.amend(locations[2], 8)
    files.amend(locations[3], 1)
    files.discard(locations[3])
    files.amend(locations[3], 2)
    manifest = files.sync()
    files.close()
    assert [(head, value) for _, head, _, value in loaded(tmp_path, manifest)] == [
        (b"h0", 0),
        (b"h2", 8),
        (b"h4", 0),
        (b"h5", 0),
    ]


def test_what_is_beyond_the_manifest_is_cut_off(tmp_path: Path) -> None:
    files = MessageFiles(tmp_path, file_bytes=200)
    [kept] = files.write([(b"", b"kept")])
    manifest = files.sync()
    files.discard(kept)
    files.write([(b"", b"later" * 50)])
    files.write([(b"", b"in a new file")])
    files.sync()
    files.close()
    assert [body for _, _, body, _ in loaded(tmp_path, manifest)] == [b"kept"]
    assert names(tmp_path) == ["M0000001.DAT"]


def test_a_loaded_store_goes_on_behind_what_it_has(tmp_path: Path) -> None:
    files = MessageFiles(tmp_path)
    files.write([(b"", b"one")])
    manifest = files.sync()
    files.close()
    files = MessageFiles(tmp_path)
    list(files.load(manifest))
    files.write([(b"", b"two")])
    manifest = files.sync()
    files.close()
    assert [body for _, _, body, _ in loaded(tmp_path, manifest)] == [b"one", b"two"]
    assert names(tmp_path) == ["M0000001.DAT"]


def test_a_dead_file_goes_when_the_checkpoint_without_it_is_durable(tmp_path: Path) -> None:
    files = MessageFiles(tmp_path, file_bytes=100)
    old = files.write([(b"", b"%d" % n + b"a" * 200) for n in range(3)])
    before = files.sync()
    files.write([(b"", b"b" * 200)])
    for location in old:
        files.discard(location)
    after = files.sync()
    assert [extent.number for extent in after.extents] == [2]
    files.release(before)
    assert "M0000001.DAT" in names(tmp_path)  # a restart might still need it
    files.release(after)
    assert names(tmp_path) == ["M0000002.DAT"]


def test_mostly_dead_files_are_candidates_for_compaction(tmp_path: Path) -> None:
    files = MessageFiles(tmp_path, file_bytes=6000)
    locations = files.write([(b"h", b"%02d" % n + b"x" * 98) for n in range(20)])
    files.write([(b"h", b"current")])
    assert files.compact_candidates() == []
    files.discard_many(locations[2:])
    [use] = files.compact_candidates()
    assert (use.number, use.records, use.live) == (1, 20, 2)
    for location, record in zip(locations, files.read(locations[:2]), strict=False):
        files.write([record])
        files.discard(location)
    manifest = files.sync()
    files.release(manifest)
    assert names(tmp_path) == ["M0000002.DAT"]


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs Linux's list of open files")
def test_few_descriptors_stay_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(message_files, "OPEN_FILES_MAX", 4)
    files = MessageFiles(tmp_path, file_bytes=1)
    locations = [files.write([(b"", b"%d" % n)])[0] for n in range(30)]
    manifest = files.sync()
    before = open_descriptors()
    assert [body for _, body in files.read(locations)] == [b"%d" % n for n in range(30)]
    assert open_descriptors() <= before + 1
    files.close()
    assert len(loaded(tmp_path, manifest)) == 30


def test_a_changed_byte_is_found_by_read_and_load(tmp_path: Path) -> None:
    files = MessageFiles(tmp_path)
    locations = files.write([(b"head", b"%d" % n + b"body" * 50) for n in range(3)])
    manifest = files.sync()
    path = tmp_path / "M0000001.DAT"
    data = bytearray(path.read_bytes())
    data[(locations[1] & 0xFFFFFFFF) + 60] ^= 1
    path.write_bytes(data)
    assert len(files.read([locations[0], locations[2]])) == 2
    for act in (lambda: files.read(locations), lambda: loaded(tmp_path, manifest)):
        with pytest.raises(MQError, match=r"M0000001\.DAT") as caught:
            act()
        assert caught.value.reason == 8010


def test_an_unknown_location_is_refused(tmp_path: Path) -> None:
    files = MessageFiles(tmp_path)
    files.write([(b"", b"x")])
    for location in (0, -5, 1, 7 << 32 | 4096, 1 << 32 | 50_000, 1 << 32 | 4100):
        with pytest.raises(MQError, match="8010"):
            files.read([location])


def test_a_missing_or_short_file_is_told(tmp_path: Path) -> None:
    files = MessageFiles(tmp_path)
    files.write([(b"", b"x" * 100)])
    manifest = files.sync()
    files.close()
    path = tmp_path / "M0000001.DAT"
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(MQError, match="8010"):
        loaded(tmp_path, manifest)
    path.unlink()
    with pytest.raises(MQError, match="8011"):
        loaded(tmp_path, manifest)


def test_a_full_disk_fails_the_write_and_keeps_the_rest(tmp_path: Path) -> None:
    files = MessageFiles(tmp_path, Faults(stop_at=3, error=errno.ENOSPC, lasting=False))
    [first] = files.write([(b"", b"first")])
    with pytest.raises(MQError) as caught:
        files.write([(b"", b"second")])
    assert caught.value.reason == 8005
    [third] = files.write([(b"", b"third")])
    assert files.read([first, third]) == [(b"", b"first"), (b"", b"third")]
    manifest = files.sync()
    files.close()
    assert [body for _, _, body, _ in loaded(tmp_path, manifest)] == [b"first", b"third"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder_is_told(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(MQError, match="8006"):
        MessageFiles(tmp_path).write([(b"", b"x")])


def test_a_manifest_survives_encoding() -> None:
    manifest = Manifest()
    assert decode_manifest(manifest.encode()) == manifest
    for wrong in (b"", b"x" * 15, Manifest().encode() + b"x"):
        with pytest.raises(ValueError, match="manifest"):
            decode_manifest(wrong)


def test_any_damage_gives_an_error_never_a_crash(tmp_path: Path) -> None:
    files = MessageFiles(tmp_path)
    locations = files.write([(b"head %d" % n, bytes(n * 10)) for n in range(40)])
    files.discard_many(locations[::3])
    manifest = files.sync()
    files.close()
    good = [record[1:] for record in loaded(tmp_path, manifest)]
    originals = {path: path.read_bytes() for path in tmp_path.iterdir()}
    random_ = random.Random(7)
    for round_ in range(200):
        path = random_.choice(sorted(originals))
        data = bytearray(originals[path])
        at = random_.randrange(len(data)) if random_.random() < 0.5 else 4096 + random_.randrange(800)
        data[at : at + 4] = random_.randbytes(4)
        path.write_bytes(data)
        try:
            assert [record[1:] for record in loaded(tmp_path, manifest)] == good, f"round {round_}"
        except MQError as refused:
            assert refused.reason in (8003, 8010), f"round {round_}"
        path.write_bytes(originals[path])
