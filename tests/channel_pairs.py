"""Two real queue managers with message channels between them, for tests.

`Pair` runs QMA and QMB in processes of their own; each knows the other's port. Modules share a pair: tests
use names of their own for queues and channels, and leave the processes running.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import penstock
from tests.patience import until
from tests.ports import free_port
from tests.served import Served

DEAD = "DEFINE QLOCAL(DLQ) MAXDEPTH(900000) REPLACE\nALTER QMGR DEADQ(DLQ)\n"


class Pair:
    """QMA and QMB, and administrators of both."""

    def __init__(self, home: Path, start: bool = True) -> None:
        self.a, self.b = Served(home, "QMA", DEAD), Served(home, "QMB", DEAD)
        self.ports = {"QMA": free_port(), "QMB": free_port()}
        self.admins: dict[str, Any] = {}
        if start:
            self.start(self.a)
            self.start(self.b)

    def start(self, served: Served) -> None:
        served.start(self.ports[served.name])
        self.admins[served.name] = served.local()

    def kill(self, served: Served) -> None:
        served.kill()
        self._forget(served)

    def halt(self, served: Served) -> None:
        """Stop in order."""
        self._forget(served)
        served.stop()

    def restart(self, served: Served) -> None:
        """Stop in order and start again."""
        self.halt(served)
        self.start(served)

    def _forget(self, served: Served) -> None:
        admin = self.admins.pop(served.name, None)
        if admin is not None:
            try:
                admin.close()
            except penstock.MQError:
                pass

    @property
    def qma(self) -> Any:
        return self.admins["QMA"]

    @property
    def qmb(self) -> Any:
        return self.admins["QMB"]

    def address(self, name: str) -> str:
        return f"127.0.0.1({self.ports[name]})"

    def stop(self) -> None:
        for served in (self.a, self.b):
            self._forget(served)
            served.stop()

    def link(self, name: str, sender: str = "", receiver: str = "", trigger: bool = True) -> None:
        """Define channel N from QMA to QMB and its queues: remote N.R, transmission N.X, target N.T."""
        started = f"TRIGGER TRIGTYPE(FIRST) INITQ(SYSTEM.CHANNEL.INITQ) TRIGDATA({name})" if trigger else ""
        run(
            self.qmb,
            f"DEFINE QLOCAL({name}.T) MAXDEPTH(900000) REPLACE\n"
            f"DEFINE CHANNEL({name}) CHLTYPE(RCVR) {receiver} REPLACE",
        )
        run(
            self.qma,
            f"DEFINE QLOCAL({name}.X) USAGE(XMITQ) MAXDEPTH(900000) {started} REPLACE\n"
            f"DEFINE QREMOTE({name}.R) RNAME({name}.T) RQMNAME(QMB) XMITQ({name}.X) REPLACE\n"
            f"DEFINE CHANNEL({name}) CHLTYPE(SDR) XMITQ({name}.X) CONNAME('{self.address('QMB')}')"
            f" {sender} REPLACE",
        )


def run(qm: Any, script: str) -> list[Any]:
    """Run MQSC; no command may fail."""
    replies = list(qm.mqsc(script))
    failed = [reply.text for reply in replies if reply.failed]
    assert not failed, failed
    return replies


def refusal(qm: Any, command: str) -> Any:
    """Return the reply of a command that must fail."""
    (reply,) = [reply for reply in qm.mqsc(command) if reply.failed]
    return reply


def status(qm: Any, name: str, more: str = "ALL") -> dict[str, Any]:
    """Return the status of a channel; nothing when it is inactive."""
    found = [
        dict(reply.attributes) for reply in qm.mqsc(f"DISPLAY CHSTATUS({name}) {more}") if reply.attributes
    ]
    return found[0] if found else {}


def until_state(qm: Any, name: str, state: str) -> dict[str, Any]:
    """Wait until a channel is in a state; INACTIVE has no row."""

    def look() -> dict[str, Any] | None:
        row = status(qm, name)
        return (row or {"STATUS": state}) if row.get("STATUS", "INACTIVE") == state else None

    found: dict[str, Any] = until(look)
    return found


def depth(qm: Any, name: str) -> int:
    """Return how many messages are on a queue."""
    (reply,) = run(qm, f"DISPLAY QLOCAL({name}) CURDEPTH")
    return int(reply.attributes["CURDEPTH"])


def bodies(qm: Any, queue: str, count: int) -> list[bytes]:
    """Get so many messages and return their bodies."""
    return [bytes(qm.get(queue, wait=60).body) for _ in range(count)]
