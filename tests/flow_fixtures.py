"""What tests of flows share: a queue manager in this process, and what runs a flow on its queues.

`tests/unit/flow` and `tests/conformance/flow` import the fixtures in their conftest.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

import penstock
from penstock.flow import CompiledFlow, Project
from penstock.flow.running.listener import listener_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from penstock.flow import Flow
    from penstock.flow.running.listener import Listener

SMALL_LOG = {"file_pages": 512, "primary_files": 3}  # a large one costs more than most tests
QUEUES = ("IN", "OUT", "OUT2", "OUT3", "FAILED", "CAUGHT", "BACKOUT", "DEAD")


@pytest.fixture
def qm(tmp_path: Path) -> Iterator[penstock.QueueManager]:
    """A queue manager with the usual queues."""
    with penstock.embed("QM1", create=True, home=tmp_path / "home", **SMALL_LOG) as qm:
        qm.mqsc("\n".join(f"DEFINE QLOCAL({queue})" for queue in QUEUES))
        yield qm


@pytest.fixture
def run(qm: penstock.QueueManager, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Run a flow inline until there is nothing to do at its first input; the test's folder is its project."""
    usual = Project(tmp_path)

    def run_flow(flow: Flow, project: Project | None = None, **options: Any) -> Listener:
        compiled = CompiledFlow(flow, project or usual)
        listener = listener_for(compiled, next(iter(compiled.inputs)), lambda: qm, **options)
        listener.run(threading.Event(), until_empty=True)
        return listener

    yield run_flow
    usual.databases.close()


def bodies(qm: Any, queue: str) -> list[bytes]:
    """Get all messages of a queue and return their bodies."""
    return [message.body for message in qm.get_many(queue, 1000)]
