"""MQDISC commits what is open; whoever just disappears has it backed out (SEMANTICS §4, DESIGN surface)."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
from typing import Any

import penstock


def test_close_commits_an_open_unit(qm: Any, queue: str) -> None:
    other = penstock.embed("QM1")
    other.begin()
    other.put(queue, b"kept", persistent=True)
    other.close()

    assert qm.get(queue).body == b"kept"


def test_close_commits_units_of_other_threads_of_the_connection(qm: Any, queue: str, spawn: Any) -> None:
    other = penstock.embed("QM1")
    entered, leave = threading.Event(), threading.Event()

    def work() -> None:
        other.begin()
        other.put(queue, b"kept")
        entered.set()
        leave.wait(60)

    done = spawn(work)
    entered.wait(60)
    other.close()
    leave.set()
    done.result(60)

    assert qm.get(queue).body == b"kept"


def test_thread_that_dies_with_an_open_unit_has_it_backed_out(
    qm: Any, queue: str, spawn: Any, until: Any
) -> None:
    qm.put(queue, b"old", persistent=True)

    def work() -> None:
        qm.begin()
        qm.put(queue, b"new", persistent=True)
        assert qm.get(queue).body == b"old"

    spawn(work).result(60)
    gc.collect()
    until(lambda: qm.engine.queues[queue].uncommitted == 0)

    assert [(m.body, m.backout_count) for m in qm.browse(queue)] == [(b"old", 1)]


def test_unit_of_a_thread_that_died_does_not_hold_others_up(qm: Any, queue: str, spawn: Any) -> None:
    qm.put(queue, b"old")

    def work() -> None:
        qm.begin()
        qm.get(queue)

    spawn(work).result(60)
    gc.collect()

    assert qm.get(queue, wait=60.0).body == b"old"


def test_unit_that_is_open_at_process_end_is_backed_out(embed: Any) -> None:
    program = (
        "import penstock\n"
        "qm = penstock.embed('QM9', create=True, file_pages=64, primary_files=2)\n"
        "qm.mqsc('DEFINE QLOCAL(Q)')\n"
        "qm.put('Q', b'old', persistent=True)\n"
        "qm.begin(); qm.get('Q'); qm.put('Q', b'new', persistent=True)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)

    assert [m.body for m in embed("QM9").browse("Q")] == [b"old"]
