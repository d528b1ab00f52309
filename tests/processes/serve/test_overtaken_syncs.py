"""Somebody else finishes what is on disk before the loop does: a checkpoint, a verb in a worker.

A message that a put made visible then goes to a getter by another thread, and the loop hears of that when it
has answered all that waited for the sync. There is no later sync that would have the answer sent.
"""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest

import penstock
from tests.processes.serve.test_calm_loop import served_while

pytestmark = pytest.mark.installed


class OvertakenJournal:
    """The server's journal; each sync is finished in the engine by another thread."""

    def __init__(self, server: Any) -> None:
        self._journal = server.journal
        self._server = server

    def __getattr__(self, name: str) -> Any:
        return getattr(self._journal, name)

    def request(self, position: int) -> None:
        at_work = threading.Event()
        threading.Thread(target=self._finish, args=(position, at_work)).start()
        at_work.wait()
        self._journal.request(position)

    def _finish(self, position: int, at_work: threading.Event) -> None:
        with self._server.gate.anyway:  # the loop gets it when all is done
            at_work.set()
            self._journal.wait(position)
            self._server.engine.durable(self._journal.durable)


@pytest.mark.parametrize("in_unit", [True, False])
def test_a_get_has_its_message_though_another_thread_finished_the_sync(tmp_path: Path, in_unit: bool):
    got: list[bytes] = []

    def drive(server: Any, address: str) -> None:
        with penstock.connect(address) as consumer, penstock.connect(address) as producer:

            def consume() -> None:
                if in_unit:
                    with consumer.unit_of_work():
                        message = consumer.get("APP.Q", wait=None)
                else:
                    message = consumer.get("APP.Q", wait=None)
                got.append(message.body)

            thread = threading.Thread(target=consume)
            thread.start()
            while not server.engine.queues["APP.Q"].waiting:
                time.sleep(0.01)
            server.journal = OvertakenJournal(server)
            producer.put("APP.Q", b"body", persistent=True)
            thread.join(60)
            assert got == [b"body"]

    served_while(tmp_path, drive)
