"""The accident: a process that reads a file record by record is killed in the middle, again and again.

Afterwards every record must have become a message; each kill may have doubled at most the one record whose
unit of work was committed while its position was not yet written.
"""

from __future__ import annotations

import subprocess
import time
from collections import Counter
from pathlib import Path

import pytest

import penstock
from tests.command_forks import Command
from tests.patience import until

pytestmark = [pytest.mark.crash, pytest.mark.installed]
RECORDS, KILLS = 2000, 4


def worker(folder: Path, *more: str) -> Command:
    words = (str(folder), *more)
    started = Command(words, stdout=subprocess.PIPE, text=True, module="tests.crash.file_worker")
    assert started.stdout is not None
    assert started.stdout.readline() == "ready\n"
    return started


def reads(folder: Path) -> bool:
    """Say whether the file is begun and not finished."""
    return any((folder / "in" / "mqsitransitin").glob(".*.position"))


def is_done(folder: Path) -> bool:
    """Say whether the file was read to its end."""
    return (folder / "in" / "mqsiarchive" / "records").exists()


def test_no_record_is_lost_and_each_kill_doubles_one_at_most(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "records").write_text("".join(f"{n}\n" for n in range(RECORDS)))
    in_the_middle = 0
    for kill in range(KILLS):
        running = worker(tmp_path)
        until(lambda: reads(tmp_path) or is_done(tmp_path))
        time.sleep(0.05 * kill)
        running.kill()
        running.communicate()
        in_the_middle += reads(tmp_path)
    with worker(tmp_path, "until empty") as last:
        last.communicate(timeout=60)
    with penstock.embed("QM1", home=tmp_path / "home") as qm:
        found = Counter(int(message.body) for message in qm.get_many("OUT", 2 * RECORDS))
    assert in_the_middle > 0
    assert set(found) == set(range(RECORDS))
    assert sum(found.values()) <= RECORDS + KILLS
    assert is_done(tmp_path)
    assert list((tmp_path / "in" / "mqsitransitin").iterdir()) == []
