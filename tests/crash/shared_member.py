"""A member in a process of its own: shared_member.py NAME HOME GROUP URL QUEUE... -- then commands on stdin.

Each line is a command; each is answered with a line. `put N` puts N messages in a unit and commits, `hold N`
gets N in a unit and leaves it open, `put-open N` puts N in a unit and leaves it open, `mixed N` gets N from
ORDERS and puts N to the local queue DONE in one unit, `move` moves messages to RESULTS until it is killed,
`mqsc TEXT` is a command, `tag NAME` takes a connection tag, `large N` puts N large messages and commits,
`die-storing N` does the same and kills the process when the bodies are stored and the round is not yet sent.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

if os.environ.get("PENSTOCK_UNCOMPILED", "") not in ("", "0"):
    from tests import uncompiled

    uncompiled.install()

from penstock.model.errors import MQError
from penstock.qmgr.sharing.group import Group
from penstock.share import rounds
from tests.patience import until
from tests.shared_groups import Members

LARGE_BYTES = 100_000


def main() -> None:
    name, home, group, url, *queues = sys.argv[1:]
    members = Members(url, Path(home))
    members.group = Group(group, url, member_timeout=3.0)
    qm = members.start(name)
    until(lambda: defined(qm, queues))
    qm.mqsc("DEFINE QLOCAL(DONE) DEFPSIST(YES)")
    print("ready", flush=True)
    held = []
    for line in sys.stdin:
        verb, _, count = line.strip().partition(" ")
        number = int(count) if count.isdigit() else 0
        if verb in ("put", "large", "die-storing"):
            put_unit(qm, verb, number)
        elif verb in ("hold", "put-open"):
            if not held:
                held.append(qm.unit_of_work())
                held[0].__enter__()
            for i in range(number):
                if verb == "hold":
                    assert qm.get("ORDERS") is not None
                else:
                    qm.put("ORDERS", b"open %d" % i, persistent=True)
        elif verb == "mixed":
            with qm.unit_of_work():
                for _ in range(number):
                    message = qm.get("ORDERS")
                    assert message is not None
                    qm.put("DONE", message.body, persistent=True)
        elif verb == "tag":
            qm.take_connection_tag(count)
        elif verb == "mqsc":
            qm.mqsc(count, check=True)
        elif verb == "move":
            move(qm)
        print("done", verb, flush=True)


def put_unit(qm: Any, verb: str, count: int) -> None:
    """Put messages in a unit and commit; `die-storing` dies on the way."""
    if verb == "die-storing":
        rounds.Round._step_commit = die  # type: ignore[method-assign, assignment]
    with qm.unit_of_work():
        for i in range(count):
            qm.put("ORDERS", b"%d" % i * (1 if verb == "put" else LARGE_BYTES), persistent=True)


def die(_round: rounds.Round, commits: list[Any]) -> None:
    """Say how many bodies are stored, and be killed."""
    print("stored", sum(put.place > 0 for wish in commits for put in wish.puts), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)


def defined(qm: Any, queues: list[str]) -> bool:
    """Define the shared queues; the facility may be away just now."""
    try:
        for queue in queues:
            qm.host.sharing.define(queue)
    except MQError:
        return False
    return True


def move(qm: Any) -> None:
    """Move messages from ORDERS to RESULTS for ever, every third with a copy in DONE, some backed out."""
    for number in itertools.count():
        try:
            qm.begin()
            message = qm.get("ORDERS", wait=0.5)
            if message is None:
                qm.backout()
                continue
            body = message.body + (b" mixed" if number % 3 == 0 else b"")
            qm.put("RESULTS", body, persistent=True)
            if number % 3 == 0:
                qm.put("DONE", body, persistent=True)
            if number % 10 == 7:
                qm.backout()
            else:
                qm.commit()
        except MQError:
            with contextlib.suppress(MQError):
                qm.backout()
            time.sleep(0.05)  # the facility is away: try again


main()
