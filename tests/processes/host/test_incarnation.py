"""The incarnation of a queue manager: kept by a restart, never shared with a copy."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

import penstock
from penstock.host.folders.incarnation import MARK_NAME, NAME, incarnation_of
from penstock.store import file_identity

pytestmark = pytest.mark.installed


def incarnation(home: Path) -> str:
    with penstock.embed("QM1", home=home) as qm:
        found: str = qm.status().incarnation
        (reply,) = qm.mqsc("DISPLAY QMSTATUS INCARNATION")
    assert reply.attributes is not None
    assert reply.attributes["INCARNATION"] == found
    return found


@pytest.fixture
def home(tmp_path: Path) -> Path:
    with penstock.embed("QM1", create=True, home=tmp_path / "here", file_pages=64, primary_files=2):
        pass
    return tmp_path / "here"


def test_a_restart_keeps_it_and_a_rename_of_the_home_too(home: Path) -> None:
    first = incarnation(home)
    assert len(first) == 32
    assert incarnation(home) == first
    home.rename(home.with_name("moved"))
    assert incarnation(home.with_name("moved")) == first


def test_a_change_of_mode_or_times_keeps_it_where_births_are_known(home: Path) -> None:
    first = incarnation(home)
    mark = home / "QM1" / MARK_NAME
    if not file_identity.identity_of(mark).startswith(file_identity.BORN):
        pytest.skip("this file system keeps no time of birth")
    mark.chmod(0o640)
    os.utime(mark, (0, 0))
    assert incarnation(home) == first


@pytest.mark.parametrize("how", ["cp -a", "tar", "python", "hard links"])
def test_a_copy_gets_its_own_and_says_whose_copy_it_is(home: Path, tmp_path: Path, how: str) -> None:
    first = incarnation(home)
    there = tmp_path / "there"
    there.mkdir()
    if how == "python":
        shutil.copytree(home / "QM1", there / "QM1")
    else:
        command = {
            "cp -a": ["cp", "-a", str(home / "QM1"), str(there)],
            "hard links": ["cp", "-al", str(home / "QM1"), str(there)],
            "tar": ["sh", "-c", f"tar -C {home} -cf - QM1 | tar -C {there} -xpf -"],
        }[how]
        subprocess.run(command, check=True)

    copy, renewed = incarnation_of(there / "QM1")

    assert renewed
    assert copy.id != first
    assert copy.copy_of == first
    assert incarnation_of(there / "QM1") == (copy, False)
    if how != "hard links":  # the log itself is shared then: such a copy is of no use
        assert incarnation(there) == copy.id
        assert incarnation(home) == first


def test_a_copy_that_is_started_tells_the_error_log(home: Path, tmp_path: Path) -> None:
    first = incarnation(home)
    shutil.copytree(home, tmp_path / "there")
    copy = incarnation(tmp_path / "there")
    assert (
        f"copy of incarnation {first}; it is incarnation {copy}"
        in (tmp_path / "there" / "QM1" / "errors" / "AMQERR01.LOG").read_text()
    )


def test_a_copy_over_the_original_is_a_copy(home: Path, tmp_path: Path) -> None:
    """A folder that was saved, and put back in the place of the original, goes on from an older state."""
    first = incarnation(home)
    shutil.copytree(home / "QM1", tmp_path / "saved")
    shutil.rmtree(home / "QM1")
    shutil.copytree(tmp_path / "saved", home / "QM1")
    assert incarnation(home) != first


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"format": 1}', b"\xff\xfe"])
def test_a_damaged_file_is_replaced(home: Path, content: bytes) -> None:
    first = incarnation(home)
    (home / "QM1" / NAME).write_bytes(content)
    second = incarnation(home)
    assert second not in ("", first)
    assert incarnation(home) == second


def test_a_folder_without_one_gets_one(home: Path) -> None:
    first = incarnation(home)
    (home / "QM1" / NAME).unlink()
    (home / "QM1" / MARK_NAME).unlink()
    assert incarnation(home) not in ("", first)


def test_a_file_of_a_newer_format_is_refused_and_left(home: Path) -> None:
    incarnation(home)
    path = home / "QM1" / NAME
    path.write_text(json.dumps({"format": 2, "new": "things"}))
    with pytest.raises(penstock.MQError, match="8003"):
        incarnation(home)
    assert json.loads(path.read_text())["format"] == 2


def test_without_births_the_status_change_stands_in(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_identity, "_birth_ns", lambda path: 0)
    (home / "QM1" / NAME).unlink()
    made, renewed = incarnation_of(home / "QM1")
    assert (renewed, made.mark.startswith(file_identity.CHANGED)) == (True, True)
    assert incarnation_of(home / "QM1") == (made, False)
    monkeypatch.undo()
    assert incarnation_of(home / "QM1") == (made, False)
    shutil.copytree(home / "QM1", home / "COPY")
    assert incarnation_of(home / "COPY")[1]
