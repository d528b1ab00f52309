"""Text logs stay short whoever trims them, and nothing that was logged before goes with it."""

from __future__ import annotations

import fcntl
import os
import threading
from pathlib import Path

import pytest

from penstock.store import text_logs
from penstock.store.text_logs import trim_log
from tests.patience import until

TEXT = b"more than ten bytes"


def before(log: Path) -> Path:
    return log.with_name(f"{log.name}.1")


def test_of_two_who_saw_the_size_one_trims(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "main.log"
    log.write_bytes(TEXT)
    real = fcntl.flock

    def overtaken(descriptor: int, how: int) -> None:
        monkeypatch.setattr(fcntl, "flock", real)
        trim_log(log, 10)  # another trimmer, after this one has seen the size
        real(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", overtaken)
    trim_log(log, 10)
    assert fcntl.flock is real, "no lock was taken"
    assert (log.read_bytes(), before(log).read_bytes()) == (b"", TEXT)


def test_a_log_that_another_trims_is_left_to_it(tmp_path: Path) -> None:
    log = tmp_path / "main.log"
    log.write_bytes(TEXT)
    with log.open("rb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        trim_log(log, 10)
        assert log.read_bytes() == TEXT
    trim_log(log, 10)
    assert (log.read_bytes(), before(log).read_bytes()) == (b"", TEXT)


def test_the_log_before_is_for_its_owner_alone(tmp_path: Path) -> None:
    log = tmp_path / "main.log"
    before(log).write_bytes(b"of an earlier release")
    before(log).chmod(0o644)
    os.close(text_logs.open_log(log))
    log.write_bytes(TEXT)
    trim_log(log, 10)
    assert before(log).read_bytes() == TEXT
    assert before(log).stat().st_mode & 0o777 == 0o600


def test_a_trimmer_survives_what_it_cannot_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(text_logs, "LOG_BYTES_MAX", 10)
    monkeypatch.setattr(text_logs, "LOOK_SECONDS", 0.01)
    log = tmp_path / "main.log"
    log.write_bytes(TEXT)
    before(log).mkdir()  # in the way
    ended = threading.Event()
    text_logs.keep_short(log, ended)
    try:
        until(lambda: caplog.text.count("log_not_trimmed") > 2)
        assert log.read_bytes() == TEXT
        before(log).rmdir()
        until(lambda: log.read_bytes() == b"")
        assert before(log).read_bytes() == TEXT
    finally:
        ended.set()
