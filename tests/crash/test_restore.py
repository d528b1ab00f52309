"""Backups are restored whole or not at all: checked first, exchanged last, never taken for the original."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import pytest

import penstock
from penstock.host.backups import manifest, restoring
from penstock.host.backups.backup import backup_stopped
from penstock.host.backups.manifest import Copier
from penstock.host.backups.restoring import restore_queue_manager
from penstock.host.folders.folder import existing_folder
from penstock.host.folders.folder_lock import state_of
from tests.uncompiled import ROOT

pytestmark = [pytest.mark.crash, pytest.mark.installed]
LOG = {"file_pages": 64, "primary_files": 2, "secondary_files": 1}


def make(home: Path, *bodies: bytes) -> Path:
    """Make QM1 with messages on A, a TLS key and a model; return its folder."""
    with penstock.embed("QM1", create=True, home=home, **LOG) as qm:
        qm.mqsc("DEFINE QLOCAL(A) MAXDEPTH(900000)")
        for body in bodies:
            qm.put("A", body, persistent=True)
    folder = home / "QM1"
    for name in ("ssl/key.pem", "models/QUOTES.cpy"):
        (folder / name).parent.mkdir()
        (folder / name).write_text(f"content of {name}")
    return folder


def found(home: Path) -> list[bytes]:
    with penstock.embed("QM1", home=home) as qm:
        return [message.body for message in qm.browse("A")]


def incarnation(home: Path) -> str:
    with penstock.embed("QM1", home=home) as qm:
        return qm.status().incarnation


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A backup of a queue manager that does not run."""
    make(tmp_path / "here", b"one", b"two")
    return backup_stopped(existing_folder("QM1", tmp_path / "here"), tmp_path / "saved")


def reason_of(call: object) -> int:
    with pytest.raises(penstock.MQError) as caught:
        call()  # type: ignore[operator]
    return caught.value.reason


def test_a_stopped_queue_manager_is_copied_without_being_run(tmp_path: Path) -> None:
    folder = make(tmp_path / "here", b"one")
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.name != "lock"}

    backup_stopped(existing_folder("QM1", tmp_path / "here"), tmp_path / "saved")

    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.name != "lock"} == before
    assert state_of(folder / "lock") == ("Ended", None)
    with penstock.embed("QM1", home=tmp_path / "here"):
        refused = reason_of(lambda: backup_stopped(existing_folder("QM1", tmp_path / "here"), tmp_path / "x"))
    assert refused == 8001
    assert not list(tmp_path.glob("x*"))


def test_a_restored_queue_manager_has_all_of_the_original_but_its_incarnation(
    saved: Path, tmp_path: Path
) -> None:
    first = incarnation(tmp_path / "here")

    folder, listed = restore_queue_manager(saved, tmp_path / "there")

    assert (folder.name, listed.kind) == ("QM1", "queue manager")
    assert (folder.path / "ssl" / "key.pem").read_text() == "content of ssl/key.pem"
    assert (folder.path / "models" / "QUOTES.cpy").exists()
    assert found(tmp_path / "there") == [b"one", b"two"]
    assert incarnation(tmp_path / "there") not in ("", first)
    assert folder.path.stat().st_mode & 0o777 == 0o700
    assert (folder.path / "ssl" / "key.pem").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in (tmp_path / "there").iterdir()] == ["QM1"]


def test_two_restores_of_one_backup_are_two_incarnations(saved: Path, tmp_path: Path) -> None:
    for name in ("first", "second"):
        restore_queue_manager(saved, tmp_path / name)
    assert incarnation(tmp_path / "first") != incarnation(tmp_path / "second")


def test_a_restore_overwrites_only_when_asked_and_never_what_runs(saved: Path, tmp_path: Path) -> None:
    home = tmp_path / "here"
    with penstock.embed("QM1", home=home) as qm:
        qm.put("A", b"newer", persistent=True)
        assert reason_of(lambda: restore_queue_manager(saved, home)) == 8019
        assert reason_of(lambda: restore_queue_manager(saved, home, replace=True)) == 8001
    first = incarnation(home)
    assert found(home) == [b"one", b"two", b"newer"]

    restore_queue_manager(saved, home, replace=True)

    assert found(home) == [b"one", b"two"]
    assert incarnation(home) != first
    assert [path.name for path in home.iterdir()] == ["QM1"]


@pytest.mark.parametrize("how", ["missing", "cut", "changed", "more", "no list", "list cut", "list changed"])
def test_a_backup_that_is_not_whole_is_refused_before_anything_changes(
    saved: Path, tmp_path: Path, how: str
) -> None:
    log = next((saved / "log").iterdir())
    listed = saved / manifest.NAME
    if how == "missing":
        log.unlink()
    elif how == "cut":
        os.truncate(log, log.stat().st_size // 2)
    elif how == "changed":
        with log.open("r+b") as file:
            file.seek(5000)
            file.write(b"\xff")
    elif how == "more":
        (saved / "queues" / "M9999999.DAT").write_bytes(b"")
    elif how == "no list":
        listed.unlink()
    elif how == "list cut":
        os.truncate(listed, listed.stat().st_size - 10)
    else:
        listed.write_bytes(listed.read_bytes().replace(b"CHECKPOINT", b"CHECKPOINS"))

    assert reason_of(lambda: restore_queue_manager(saved, tmp_path / "here", replace=True)) == 8018
    assert reason_of(lambda: restore_queue_manager(saved, tmp_path / "there")) == 8018

    assert found(tmp_path / "here") == [b"one", b"two"]
    assert not (tmp_path / "there").exists()


def test_a_list_that_names_files_outside_is_refused(saved: Path) -> None:
    listed = manifest.read_manifest(saved)
    for name in ("../evil", "/etc/evil", "log/../../evil"):
        files = {**listed.files, name: (0, "")}
        forged = manifest._encoded(manifest.Manifest("queue manager", "QM1", "", "", files))
        (saved / manifest.NAME).write_bytes(forged)
        assert reason_of(lambda: manifest.verify(saved)) == 8018


def test_a_backup_that_was_started_is_a_queue_manager_and_no_backup(saved: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    saved.rename(home / "QM1")
    assert found(home) == [b"one", b"two"]
    assert reason_of(lambda: manifest.verify(home / "QM1")) == 8018


def test_a_backup_stopped_at_any_file_leaves_nothing_that_could_be_taken_for_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C, a full disk: every file, and the list, in turn."""
    make(tmp_path / "here", b"one")
    folder = existing_folder("QM1", tmp_path / "here")
    whole = len(manifest.read_manifest(backup_stopped(folder, tmp_path / "whole")).files)
    copy, finish = Copier.file, Copier.finish
    for stop_at in range(whole + 1):
        done = 0

        def counted(self: Copier, *given: object, stop_at: int = stop_at, **named: object) -> None:
            nonlocal done
            if done == stop_at:
                raise KeyboardInterrupt
            done += 1
            copy(self, *given, **named)  # type: ignore[arg-type]

        def interrupted(self: Copier, kind: str, name: str) -> manifest.Manifest:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(Copier, "file", counted)
        monkeypatch.setattr(Copier, "finish", interrupted if stop_at == whole else finish)
        with pytest.raises((KeyboardInterrupt, penstock.MQError)):
            backup_stopped(folder, tmp_path / "there")
        assert not list(tmp_path.glob("there*"))
    monkeypatch.undo()
    assert found(tmp_path / "here") == [b"one"]


KILLED = """
import sys
import tarfile
from pathlib import Path
import penstock
print("begins", flush=True)
with penstock.embed("QM1", home=sys.argv[1]) as qm:
    qm.backup(Path(sys.argv[2]))
print("done", flush=True)
"""


def test_a_backup_that_is_killed_is_not_taken_for_a_whole_one(tmp_path: Path) -> None:
    make(tmp_path / "here", *[bytes(100_000)] * 10)
    for number in range(6):
        target = tmp_path / "there"
        process = subprocess.Popen(
            [sys.executable, "-c", KILLED, str(tmp_path / "here"), str(target)], stdout=subprocess.PIPE
        )
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(0.05 * number)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        for left in tmp_path.glob("there*"):
            if left == target or (left / manifest.NAME).exists():
                manifest.verify(target if left == target else left)
            else:
                assert reason_of(lambda left=left: restore_queue_manager(left, tmp_path / "x")) == 8018  # type: ignore[misc]
        shutil.rmtree(target, ignore_errors=True)
    with penstock.embed("QM1", home=tmp_path / "here") as qm:
        qm.backup(tmp_path / "there")  # what a killed one left is no hindrance
    assert not list(tmp_path.glob("there.*"))
    restore_queue_manager(tmp_path / "there", tmp_path / "restored")
    assert len(found(tmp_path / "restored")) == 10


@pytest.mark.parametrize("step", ["copying", "between the names"])
def test_an_interrupted_restore_leaves_the_original(
    saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    home = tmp_path / "here"
    with penstock.embed("QM1", home=home) as qm:
        qm.put("A", b"newer", persistent=True)
    if step == "copying":
        monkeypatch.setattr(Copier, "sync", lambda self: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            restore_queue_manager(saved, home, replace=True)
        monkeypatch.undo()
    else:  # as a power cut would leave it
        (home / "QM1").rename(home / f"QM1{restoring.OLD}")
        (home / f"QM1{restoring.NEW}").mkdir()
        assert reason_of(lambda: restore_queue_manager(saved, home)) == 8019

    assert found(home) == [b"one", b"two", b"newer"]
    restore_queue_manager(saved, home, replace=True)
    assert found(home) == [b"one", b"two"]
    assert [path.name for path in home.iterdir()] == ["QM1"]


def test_the_commands_say_what_they_did(saved: Path, tmp_path: Path) -> None:
    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "penstock.cli.main", *words],
            env={**os.environ, "PENSTOCK_HOME": str(tmp_path / "here")},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    made = json.loads(run("qmgr", "backup", "QM1", str(tmp_path / "again"), "--json").stdout)
    assert (made["name"], made["mode"]) == ("QM1", "0700")
    checked = run("qmgr", "restore", str(tmp_path / "again"), "--check")
    assert (checked.returncode, "whole backup of queue manager QM1" in checked.stdout) == (0, True)
    refused = run("qmgr", "restore", str(saved))
    assert (refused.returncode, "--replace" in refused.stderr) == (1, True)
    assert run("home", "restore", str(saved)).returncode == 1
    replaced = json.loads(run("qmgr", "restore", str(saved), "--replace", "--json").stdout)
    assert replaced["name"] == "QM1"


def test_a_backup_of_format_1_is_restored(tmp_path: Path) -> None:
    with tarfile.open(ROOT / "tests" / "data" / "formats" / "backup-1.tar.xz") as archive:
        archive.extractall(tmp_path)
    restore_queue_manager(tmp_path / "backup", tmp_path / "home")
    assert found(tmp_path / "home") == [b"kept"]
