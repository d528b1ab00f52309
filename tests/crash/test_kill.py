"""A process with seven threads at work is killed by signal 9, several times; each start goes on from there.

The worker writes down what was confirmed to it (`killed_worker.py`). After the last kill every message
that was confirmed and not got is there once, nothing is there twice, order holds for each producer,
and prepared units are still prepared.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import penstock
from tests.crash import killed_worker
from tests.patience import until

pytestmark = [pytest.mark.crash, pytest.mark.installed]

DEFINITIONS = "DEFINE QLOCAL(IN) MAXDEPTH(900000)\nDEFINE QLOCAL(OUT) MAXDEPTH(900000)\nDEFINE QLOCAL(HELD)"


def test_confirmed_work_survives_kill_9(tmp_path: Path, scale: int) -> None:
    seed = random.SystemRandom().randrange(1 << 30)
    print(f"seed {seed}")
    chance = random.Random(seed)
    with penstock.embed(
        "QM1", create=True, home=tmp_path, file_pages=64, primary_files=3, secondary_files=3,
        default_pq_buffer_size=50_000,
    ) as qm:  # fmt: skip
        qm.mqsc(DEFINITIONS)

    for number in range(4 * scale):
        run_and_kill(tmp_path, f"r{number}", 0.3 + chance.random() * 0.7)

    with penstock.embed("QM1", home=tmp_path) as qm:
        check(qm, (tmp_path / "ledger").read_text().splitlines())


def confirmed(process: subprocess.Popen[bytes], ledger: Path, before: int) -> bool:
    assert process.poll() is None, "the worker ended by itself"
    return ledger.exists() and ledger.stat().st_size > before


def run_and_kill(home: Path, stem: str, seconds: float) -> None:
    ledger = home / "ledger"
    before = ledger.stat().st_size if ledger.exists() else 0
    arguments = [sys.executable, killed_worker.__file__, str(home), str(ledger), stem]
    process = subprocess.Popen(arguments, env=os.environ)
    until(lambda: confirmed(process, ledger, before))
    time.sleep(seconds)
    process.send_signal(signal.SIGKILL)
    process.wait()


def check(qm: Any, ledger: list[str]) -> None:
    noted = [line.split() for line in ledger]
    put = {words[1] for words in noted if words[0] == "P"}
    moved = {words[1] for words in noted if words[0] == "M"}
    got = {words[1] for words in noted if words[0] == "G"}
    counts = {words[1]: int(words[2]) for words in noted if words[0] == "B"}
    stays, went = list(qm.browse("IN")), list(qm.browse("OUT"))
    in_keys, out_keys = [killed_worker.key_of(m) for m in stays], [killed_worker.key_of(m) for m in went]
    rounds = len({key.split("-")[0] for key in put})
    print(f"{len(put)} put, {len(moved)} moved, {len(got)} got; {len(in_keys)} in, {len(out_keys)} out")

    assert max(Counter(in_keys + out_keys).values()) == 1, "a message is there twice"
    missing = put - set(in_keys) - set(out_keys) - got
    # a get may have been final when the kill came before its note: one at most for each kill
    assert len(missing) <= rounds, f"lost: {sorted(missing)[:5]}"
    assert not moved & set(in_keys), "a committed move is undone"
    assert not got & (set(in_keys) | set(out_keys)), "a message that was got came back"
    for message in stays:
        assert message.backout_count >= counts.get(killed_worker.key_of(message), 0)
    assert in_order(in_keys), "IN lost its order"
    prepared = {words[1] for words in noted if words[0] == "X"}
    assert prepared <= {unit["xid"] for unit in qm.prepared()}
    for unit in qm.prepared():
        qm.commit_prepared(unit["xid"])
    held = [killed_worker.key_of(m) for m in qm.browse("HELD")]
    assert prepared <= set(held)
    assert len(held) == len(set(held))


def in_order(keys: list[str]) -> bool:
    last: dict[str, str] = {}
    for key in keys:
        stem = key.rsplit("-", 1)[0]
        if last.get(stem, "") > key:
            return False
        last[stem] = key
    return True
