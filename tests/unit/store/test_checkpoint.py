"""The checkpoint is replaced as a whole or not at all."""

from __future__ import annotations

import errno
import random
from pathlib import Path

import pytest

from penstock.model.errors import MQError
from penstock.store.checkpoint import Checkpoint, read_checkpoint, write_checkpoint
from penstock.store.faults import LOSE_ALL, Faults
from penstock.store.file_header import FileHeader
from penstock.store.manifest import Extent, Manifest

MANIFEST = Manifest((Extent(1, 5000, 0, 3), Extent(4, 4096, 64, 0)), 5)


def test_what_was_written_is_read(tmp_path: Path) -> None:
    assert read_checkpoint(tmp_path) is None
    write_checkpoint(tmp_path, b"state" * 1000, 123456, MANIFEST)
    assert read_checkpoint(tmp_path) == Checkpoint(b"state" * 1000, 123456, MANIFEST)
    assert [path.name for path in tmp_path.iterdir()] == ["CHECKPOINT"]


@pytest.mark.parametrize(
    "plan", [{"tear_bytes": 0}, {"tear_bytes": 70}, {"lose": LOSE_ALL}, {"error": errno.ENOSPC}]
)
def test_a_power_cut_leaves_the_old_or_the_new_one(tmp_path: Path, plan: dict[str, int]) -> None:
    for n in range(1, 6):
        folder = tmp_path / str(n)
        folder.mkdir()
        write_checkpoint(folder, b"old", 1, MANIFEST)
        faults = Faults(stop_at=n, **plan)
        try:
            write_checkpoint(folder, b"new", 2, MANIFEST, faults)
            assert n == 5
        except MQError as stopped:
            assert stopped.reason in (8004, 8005)
        faults.lose_names()
        found = read_checkpoint(folder)
        assert found is not None
        assert found.state in ((b"new",) if n == 5 else (b"old", b"new"))


def test_any_damage_is_told(tmp_path: Path) -> None:
    write_checkpoint(tmp_path, b"state" * 20, 77, MANIFEST)
    path = tmp_path / "CHECKPOINT"
    original = path.read_bytes()
    random_ = random.Random(3)
    for at in range(len(original)):
        data = bytearray(original)
        data[at] ^= random_.randrange(1, 256)
        path.write_bytes(data)
        with pytest.raises(MQError) as caught:
            read_checkpoint(tmp_path)
        assert caught.value.reason == 8011
    for length in range(len(original)):
        path.write_bytes(original[:length])
        with pytest.raises(MQError, match="8011"):
            read_checkpoint(tmp_path)


def test_a_newer_format_is_refused(tmp_path: Path) -> None:
    (tmp_path / "CHECKPOINT").write_bytes(FileHeader(b"PSTKCKPT", 0, 0, 0, version=9).encode())
    with pytest.raises(MQError, match="8003"):
        read_checkpoint(tmp_path)


def test_a_missing_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(MQError, match="8015"):
        write_checkpoint(tmp_path / "nowhere", b"", 0, Manifest())
