"""A checkpoint, a spill and a read of bodies have to wait, and meanwhile the queue manager is closed.

Whoever waits for its turn finds an engine that is disposed of. A checkpoint of that would say that there is
nothing, and release the journal that says otherwise.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import penstock
from penstock.host import checkpointing
from tests.patience import until

pytestmark = pytest.mark.crash
LOG = {"file_pages": 64, "primary_files": 2, "secondary_files": 1}
BODIES = [b"%04d" % number for number in range(100)]


def checkpoint(qm: Any) -> None:
    qm.checkpoint()


def spill(qm: Any) -> None:
    checkpointing.spill(qm.host)


def backup(qm: Any) -> None:
    qm.backup(qm.host.folder.path.parent / "copy")


def stopped(qm: Any) -> None:
    qm.host.stop(penstock.MQError(8004))
    qm.close()


def closed(qm: Any) -> None:
    qm.close()


@pytest.mark.parametrize("end", [stopped, closed])
@pytest.mark.parametrize("late", [checkpoint, spill, backup])
def test_what_waits_for_the_files_does_nothing_after_the_end(
    tmp_path: Path, late: Callable[[Any], None], end: Callable[[Any], None]
) -> None:
    qm = penstock.embed("QM1", create=True, home=tmp_path, **LOG)
    qm.mqsc("DEFINE QLOCAL(Q)")
    qm.put_many("Q", BODIES, persistent=True)
    refused: list[int] = []

    def wait() -> None:
        try:
            late(qm)
        except penstock.MQError as failure:
            refused.append(failure.reason)

    waiting, closing = threading.Thread(target=wait), threading.Thread(target=end, args=(qm,))
    host = qm.host
    with host.checkpoint_lock, host.files_lock:
        waiting.start()
        waiting.join(0.1)  # it is at the lock, or will be when it is too late
        closing.start()
        until(lambda: host.closed)
        closing.join(0.1)
    waiting.join(60)
    closing.join(60)

    with penstock.embed("QM1", home=tmp_path) as again:
        assert [message.body for message in again.browse("Q")] == BODIES
    assert refused in ([2009], [2018], [8004])
