"""What the clauses about triggers share: a triggered queue Q with its monitor, and counting its messages."""

from __future__ import annotations

from collections.abc import Callable

import penstock
from penstock.model import constants as mq


def open_monitor(
    qm: penstock.QueueManager, run: Callable[[str], object], attributes: str
) -> penstock.ObjectHandle:
    """Define queue Q with a trigger as `attributes` say, and open its initiation queue as a monitor does."""
    run("DEFINE PROCESS(P)")
    run("DEFINE QLOCAL(INIT)")
    run(f"DEFINE QLOCAL(Q) TRIGGER {attributes} INITQ(INIT) PROCESS(P)")
    return qm.open("INIT", mq.MQOO_INPUT_SHARED)


def fired(monitor: penstock.ObjectHandle) -> int:
    """Take the trigger messages that are there; return how many."""
    count = 0
    while monitor.get(quiet=True) is not None:
        count += 1
    return count
