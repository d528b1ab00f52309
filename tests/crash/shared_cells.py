"""Cells of the kill matrix of shared queues: units that stop at a step, each at a member of its own.

A cell's unit gets a message from its queue IN, puts it to its queue OUT and, if mixed, to DONE, a local
queue of its member. It stops at its step; then a test lets an accident happen, and lets it go on. All cells
are at their steps together. Run as a program (NAME HOME GROUP URL) it is a process with all cells that waits
to be killed.
"""

from __future__ import annotations

import os
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

if __name__ == "__main__" and os.environ.get("PENSTOCK_UNCOMPILED", "") not in ("", "0"):
    from tests import uncompiled

    uncompiled.install()

import psycopg

from penstock.model.errors import MQError
from penstock.qmgr.sharing.group import Group
from penstock.qmgr.sharing.wishes import Commit
from penstock.share import pipe as pipes
from tests.patience import until
from tests.shared_groups import Members

UNDONE, DONE, EITHER = "undone", "done", "either"
STEPS = {  # what has become of a unit whose member dies at a step
    "put": UNDONE,  # put in memory, no get
    "claimed": UNDONE,  # got, not committed
    "before send": UNDONE,  # the commit is with the pipe
    "prepared": UNDONE,  # mixed: PREPARE is on disk
    "sent": EITHER,  # the server is at work
    "unread": DONE,  # the server has committed, its answer is not read
    "answered": DONE,  # the answer is read and not handed on
    "delivered": DONE,  # the caller has been told; the journal may not have the end
}
MIXED = ("before send", "prepared", "sent", "unread", "answered", "delivered")
SLOW_SECONDS = 1.5  # that the server takes for units of the step "sent"


@dataclass
class Cell:
    """One step, shared only or mixed."""

    number: int
    step: str
    mixed: bool
    told: str = ""  # "committed", or the reason as a number
    reached: threading.Event = field(default_factory=threading.Event)
    go: threading.Event = field(default_factory=threading.Event)
    thread: threading.Thread | None = None

    @property
    def member(self) -> str:
        return f"K{self.number}"

    @property
    def source(self) -> str:
        return f"IN{self.number}"

    @property
    def target(self) -> str:
        return f"OUT{self.number}" + (".SENT" if self.step == "sent" else "")

    def at(self, step: str) -> None:
        """Stop here if this is the step of the cell, once."""
        if step == self.step and not self.reached.is_set():
            self.reached.set()
            self.go.wait()

    def run(self, qm: Any) -> None:
        """Do the unit; note what its caller is told."""
        try:
            qm.begin()
            body = b"put"
            if self.step != "put":
                message = qm.get(self.source)
                assert message is not None
                body = message.body
            qm.put(self.target, body, persistent=True)
            if self.mixed:
                qm.put("DONE", body, persistent=True)
            self.at("put")
            self.at("claimed")
            qm.commit()
            self.told = "committed"
        except MQError as failure:
            self.told = str(failure.reason)


def cells() -> list[Cell]:
    """Return every step, shared only and mixed."""
    kinds = [(step, False) for step in STEPS if step != "prepared"] + [(step, True) for step in MIXED]
    return [Cell(number, step, mixed) for number, (step, mixed) in enumerate(kinds)]


class LostAnswers:
    """Stands between a round and its session: the answers come, and then the connection is lost."""

    def __init__(self, exchange: Any, cell: Cell) -> None:
        self._exchange, self._cell = exchange, cell

    def run(self, calls: Any) -> Any:
        answers = self._exchange.run(calls)
        if self._cell.reached.is_set():
            return answers
        self._cell.at("unread")
        raise psycopg.OperationalError("the answer is lost")


class Matrix:
    """All cells of a process."""

    def __init__(self, group: Members) -> None:
        self.group = group
        self.cells = cells()
        self._by_member = {cell.member: cell for cell in self.cells}
        group.group = Group(group.group.name, group.url, pipes=1)

    def start(self) -> None:
        """Start the members and define their queues."""
        for cell in self.cells:
            self.group.queues = {cell.source: {}, cell.target: {}}
            qm = self.group.start(cell.member)
            qm.mqsc("DEFINE QLOCAL(DONE) DEFPSIST(YES)")
            self._watch(qm.host.sharing, cell)

    def _watch(self, sharing: Any, cell: Cell) -> None:
        submit, deliver = sharing.sharing.submit, sharing.facility.deliver

        def submit_later(wish: Any) -> None:
            if isinstance(wish, Commit) and wish.outcome:
                self._by_member[cell.member].at("prepared")
            submit(wish)

        def delivered(results: Any) -> None:
            deliver(results)
            if any(isinstance(wish, Commit) for wish, _ in results):
                self._by_member[cell.member].at("delivered")

        sharing.sharing.submit = submit_later
        sharing.facility.deliver = delivered

    def again(self) -> None:
        """Begin with new cells at the same members."""
        self.cells = cells()
        self._by_member = {cell.member: cell for cell in self.cells}

    def round(self, round_: Any) -> Any:
        """Run a round of any member, with the stops of its cell."""
        cell = self._by_member.get(round_.facility.name)
        if cell is None or not round_.commits:
            return round_.run()
        cell.at("before send")
        if cell.step == "unread":
            round_.pipe.exchange = LostAnswers(round_.pipe.exchange, cell)
        results = round_.run()
        cell.at("answered")
        return results

    def run(self) -> None:
        """Run every cell to its step."""
        pipes.run_round = self.round
        for cell in self.cells:
            qm = self.group.here[cell.member]
            cell.thread = threading.Thread(target=cell.run, args=(qm,), daemon=True)
            cell.thread.start()
        for cell in self.cells:
            if cell.step != "sent":
                until(cell.reached.is_set)
        slow = sum(cell.step == "sent" for cell in self.cells)
        asleep = "select count(*) from pg_stat_activity where wait_event = 'PgSleep'"
        until(lambda: self.group.rows(asleep)[0][0] >= slow)

    def go_on(self) -> None:
        """Let every cell go on, to its end."""
        for cell in self.cells:
            cell.reached.set()
            cell.go.set()
        for cell in self.cells:
            assert cell.thread is not None
            cell.thread.join(120)
            assert cell.told, f"{cell.step}, mixed {cell.mixed}: the commit has not ended"


def slow_down(group: Members) -> None:
    """Have the server take long for puts of cells that stop at the step "sent"."""
    with psycopg.connect(group.url, autocommit=True) as connection:
        connection.execute(f"set search_path to {group.group.schema}")  # type: ignore[arg-type]
        connection.execute(
            "create function slow() returns trigger language plpgsql as $$ begin"
            " if exists (select from queue where id = new.queue and name like '%SENT') then"
            f" perform pg_sleep({SLOW_SECONDS}); end if; return new; end $$"
        )
        connection.execute("create trigger slow before insert on p for each row execute function slow()")


def main() -> None:
    _, home, group, url, *_ = sys.argv[1:]
    members = Members(url, Path(home))
    members.group = Group(group, url)
    matrix = Matrix(members)
    matrix.start()
    print("ready", flush=True)
    sys.stdin.readline()
    matrix.run()
    print("stopped", flush=True)
    sys.stdin.readline()


if __name__ == "__main__":
    main()
