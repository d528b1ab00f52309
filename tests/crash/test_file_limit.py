"""The accident: files may not grow any more (a limit of sizes, a quota), so no checkpoint can be written.

A real limit, of a real server process. What breaks without it: a persistent put is neither taken nor refused;
its client waits until it gives the connection up.
"""

from __future__ import annotations

import resource
from typing import TYPE_CHECKING

import pytest

import penstock
from penstock.host.starting import create
from penstock.model.errors import MQError
from tests.patience import until
from tests.served import Served

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.crash, pytest.mark.installed]
LOG = {"file_pages": 64, "primary_files": 3, "secondary_files": 2}
BODY = bytes(20_000)
PUTS_MAX = 200  # far more than the log holds


def test_persistent_puts_are_refused_with_the_cause_until_files_may_grow_again(tmp_path: Path) -> None:
    create("QM1", tmp_path, **LOG)
    served = Served(tmp_path, script="DEFINE QLOCAL(A) MAXDEPTH(99999)")
    served.start()
    limit(served, 300 << 10)
    with served.local() as qm:
        kept = filled(qm)
        with pytest.raises(MQError, match="File too large") as refused:
            qm.put("A", BODY, persistent=True)
        assert refused.value.reason == 2102
        qm.put("A", b"", persistent=False)  # it needs no log
        limit(served, resource.RLIM_INFINITY)
        until(lambda: takes(qm))
    served.stop()
    served.start()
    with served.local() as qm:
        lengths = [len(message.body) for message in iter(lambda: qm.get("A"), None)]
    served.stop()
    assert (lengths.count(len(BODY)), lengths.count(1)) == (kept, 1)


def filled(qm: penstock.ClientQueueManager) -> int:
    """Put until a put is refused; return how many were taken."""
    for number in range(PUTS_MAX):
        try:
            qm.put("A", BODY, persistent=True)
        except MQError as refused:
            assert refused.reason == 2102
            return number
    raise AssertionError("the log is not full")


def limit(served: Served, size: int) -> None:
    """Set the size that files of a server may have; the hard limit stays."""
    assert served.process is not None
    resource.prlimit(served.process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def takes(qm: penstock.ClientQueueManager) -> bool:
    try:
        qm.put("A", b"x", persistent=True)
    except MQError as refused:
        assert refused.reason == 2102
        return False
    return True
