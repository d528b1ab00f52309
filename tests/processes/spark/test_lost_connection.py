"""A step at a queue manager that was killed and is back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from penstock.model.errors import MQError
from penstock.spark.remote_queue_manager import BROKEN, queue_manager_of
from tests.spark import running_broker


def test_after_a_step_on_a_broken_connection_the_next_makes_another(tmp_path: Path) -> None:
    """Without patience, too: a run asks so, every two seconds, whether a queue manager is back."""
    with running_broker(tmp_path / "home") as broker:
        remote = replace(queue_manager_of({"url": broker.address()}), patience_seconds=0.0)
        for _ in range(3):
            assert remote.do(lambda qm: qm.batches.listing()) == []
            port = broker.port
            broker.kill()
            broker.start(port)
            with pytest.raises(MQError) as caught:
                remote.do(lambda qm: qm.batches.listing())
            assert caught.value.reason in BROKEN
