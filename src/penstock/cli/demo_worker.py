"""The process that `penstock demo` kills: puts and moves persistent messages until somebody stops it.

Run as `python -m penstock.cli.demo_worker NAME HOME LEDGER ROUND`. It writes a line to the ledger only
after a call was confirmed, never before: `P key` for a put that returned, `M key` for a move whose unit
of work committed, `B` for a unit that was backed out on purpose. The ledger needs no sync: the process
dies, not the machine.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.host.queue_manager import QueueManager

PRODUCERS = 4
MOVE_MESSAGES_MAX = 5
BACKOUT_EVERY = 10
LIFETIME_S = 30.0  # in case nobody comes to kill it
BODY_BYTES = 512


class ChangeOfMind(Exception):
    """Raised inside a unit of work to have it backed out."""


class Ledger:
    """An append-only file of confirmations; one write a line, from any thread."""

    def __init__(self, path: str) -> None:
        self._descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def note(self, *lines: str) -> None:
        """Add lines in one write."""
        os.write(self._descriptor, "".join(f"{line}\n" for line in lines).encode())


def produce(qm: QueueManager, ledger: Ledger, stem: str, deadline: float) -> None:
    """Put numbered messages, one confirmed put after the other."""
    number = 0
    while time.monotonic() < deadline:
        key = f"{stem}-{number:06}"
        qm.put("ORDERS", key.encode().ljust(BODY_BYTES, b"."), persistent=True)
        ledger.note(f"P {key}")
        number += 1


def move(qm: QueueManager, ledger: Ledger, deadline: float) -> None:
    """Move messages from ORDERS to BILLING in units of work, backing out one in ten."""
    turn = 0
    while time.monotonic() < deadline:
        turn += 1
        moved: list[str] = []
        try:
            with qm.unit_of_work():
                while len(moved) < MOVE_MESSAGES_MAX and (message := qm.get("ORDERS", wait=0.05)) is not None:
                    qm.put("BILLING", message.body or b"", persistent=True)
                    moved.append(key_of(message.body))
                if turn % BACKOUT_EVERY == 0:
                    raise ChangeOfMind
        except ChangeOfMind:
            ledger.note("B")
        else:
            ledger.note(*(f"M {key}" for key in moved))


def key_of(body: bytes | None) -> str:
    """Return the key at the beginning of a body."""
    return (body or b"").rstrip(b".").decode()


def main(name: str, home: str, path: str, round_name: str) -> None:
    """Open the queue manager and work until killed."""
    import penstock

    deadline = time.monotonic() + LIFETIME_S
    ledger = Ledger(path)
    with penstock.embed(name, home=home) as qm:
        threads = [
            threading.Thread(
                target=produce, args=(qm, ledger, f"{round_name}-{producer}", deadline), daemon=True
            )
            for producer in range(PRODUCERS)
        ]
        threads.append(threading.Thread(target=move, args=(qm, ledger, deadline), daemon=True))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


if __name__ == "__main__":
    main(*sys.argv[1:5])
