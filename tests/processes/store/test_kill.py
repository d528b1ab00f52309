"""The process is killed while four threads append and wait: what any of them was told is there."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from penstock.store.journal import create_journal, open_journal
from penstock.store.journal_reader import read_journal
from penstock.store.segments import FIRST_POSITION, LogSettings

pytestmark = pytest.mark.crash

TINY = LogSettings(file_pages=64, primary_files=2, secondary_files=2)
CHILD = """
import os, sys, threading
from pathlib import Path
from penstock.store.journal import open_journal
from penstock.store.segments import LogSettings

journal = open_journal(Path(sys.argv[1]), LogSettings(file_pages=64), int(sys.argv[2]))

def produce(name):
    for n in range(1 << 30):
        journal.wait(journal.append(name, b"%d" % n, b"x" * 700))
        os.write(1, b"%d %d\\n" % (name, n))

for name in range(4):
    threading.Thread(target=produce, args=(name,)).start()
"""


def told_before_kill(folder: Path, end: int) -> dict[int, int]:
    """Run the child, kill it, and return the last number that each thread was told."""
    command = [sys.executable, "-c", CHILD, str(folder), str(end)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, env=os.environ | {"PYTHONPATH": ":".join(sys.path)}
    ) as child:
        assert child.stdout is not None
        first = child.stdout.readline()
        time.sleep(0.2)
        child.kill()
        lines = first + child.stdout.read()
    told = {}
    for line in lines.splitlines(keepends=True):
        if line.endswith(b"\n"):
            name, number = line.split()
            told[int(name)] = int(number)
    return told


def test_everything_told_survives_kill_minus_9(tmp_path: Path, scale: int) -> None:
    create_journal(tmp_path, TINY)
    start = end = FIRST_POSITION
    for _ in range(2 * scale):
        told = told_before_kill(tmp_path, end)
        assert told
        counts = dict.fromkeys(range(4), 0)
        reading = read_journal(tmp_path, start)
        for _, kind, payload in reading:
            assert bytes(payload).rstrip(b"x") == b"%d" % counts[kind]
            counts[kind] += 1
        assert all(counts[name] > number for name, number in told.items())
        start = end = reading.end
        journal = open_journal(tmp_path, TINY, end, tail=start)
        journal.release(start)
        journal.close()
