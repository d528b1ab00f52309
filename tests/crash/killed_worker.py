"""The process that the kill test kills: puts, moves, gets and prepares persistent messages from threads.

Run as `python tests/crash/killed_worker.py HOME LEDGER ROUND`. A line goes to the ledger after a call
was confirmed, never before: `P key` put, `M key` moved IN to OUT, `G key` got from OUT, `X xid keys`
prepared, `B key count` seen with a backout count. The ledger needs no sync: the process dies, not the
machine.
"""

from __future__ import annotations

import os
import sys
import threading
from typing import Any

PRODUCERS = 3
MOVERS = 2


class Ledger:
    def __init__(self, path: str) -> None:
        self.descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def note(self, lines: list[str]) -> None:
        os.write(self.descriptor, "".join(f"{line}\n" for line in lines).encode())


def produce(qm: Any, ledger: Ledger, stem: str) -> None:
    number = 0
    while True:
        key = f"{stem}-{number:06}"
        qm.put("IN", key.encode().ljust(40 + 997 * (number % 5), b"."), persistent=True)
        ledger.note([f"P {key}"])
        number += 1


def move(qm: Any, ledger: Ledger) -> None:
    turn = 0
    while True:
        turn += 1
        moved: list[str] = []
        counts: list[str] = []
        qm.begin()
        while len(moved) < 5 and (message := qm.get("IN", wait=0.05)) is not None:
            moved.append(key_of(message))
            qm.put("OUT", message.body, persistent=True)
            counts.append(f"B {key_of(message)} {message.backout_count + 1}")
        if turn % 7 == 0:
            qm.backout()
            ledger.note(counts)
        else:
            qm.commit()
            ledger.note([f"M {key}" for key in moved])


def take(qm: Any, ledger: Ledger) -> None:
    turn = 0
    while True:
        turn += 1
        if turn % 4 == 0:
            message = qm.get("OUT", wait=0.05)
            if message is not None:
                ledger.note([f"G {key_of(message)}"])


def prepare(qm: Any, ledger: Ledger, stem: str) -> None:
    for number in range(5):
        key = f"{stem}-held-{number}"
        qm.begin()
        qm.put("HELD", key.encode(), persistent=True)
        qm.prepare(key)
        ledger.note([f"X {key}"])
        threading.Event().wait(0.05)


def key_of(message: Any) -> str:
    return str(message.body.rstrip(b".").decode())


def main(home: str, path: str, stem: str) -> None:
    import penstock

    ledger = Ledger(path)
    qm = penstock.embed("QM1", home=home)
    work = [(produce, (qm, ledger, f"{stem}-{n}")) for n in range(PRODUCERS)]
    work += [(move, (qm, ledger))] * MOVERS + [(take, (qm, ledger)), (prepare, (qm, ledger, stem))]
    for target, args in work:
        threading.Thread(target=target, args=args, daemon=True).start()
    threading.Event().wait(60.0)  # in case nobody comes to kill it


if __name__ == "__main__":
    main(*sys.argv[1:4])
