"""A queue manager in this process for flows, and what runs a flow on its queues."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

import penstock
from penstock.flow import CompiledFlow, Project
from penstock.flow.nodes import MQInput
from penstock.flow.running.queue_listener import QueueListener

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from penstock.flow import Flow

QUEUES = ("IN", "OUT", "OUT2", "FAILED", "CAUGHT", "BACKOUT", "DEAD")


@pytest.fixture
def qm(tmp_path: Path) -> Iterator[penstock.QueueManager]:
    """A queue manager with the usual queues."""
    with penstock.embed("QM1", create=True, home=tmp_path / "home") as qm:
        for queue in QUEUES:
            qm.mqsc(f"DEFINE QLOCAL({queue})")
        yield qm


@pytest.fixture
def run(qm: penstock.QueueManager, tmp_path: Path) -> Callable[..., QueueListener]:
    """Run a flow inline until its queue is empty; the folder of the test is its project."""

    def run_flow(flow: Flow, **options: Any) -> QueueListener:
        compiled = CompiledFlow(flow, Project(tmp_path))
        label = next(label for label, node in compiled.inputs.items() if isinstance(node, MQInput))
        listener = QueueListener(compiled, label, qm, **options)
        listener.run(threading.Event(), until_empty=True)
        return listener

    return run_flow
