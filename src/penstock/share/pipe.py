"""A pipe: one connection of a member that carries rounds, and the thread that runs them.

While a round is under way wishes collect; the next round takes them all. A connection that breaks ends the
pipe: what was sent and not answered is handed to the facility, which asks for its outcome later. Made by
`facility`; what a round does is in `rounds`.
Invariant: a wish is answered once, or handed over as unanswered once.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from typing import TYPE_CHECKING, Any

import psycopg

from penstock.qmgr.sharing.wishes import Commit, Open
from penstock.share.exchange import Exchange, hang_up
from penstock.share.rounds import STATEMENTS, Round

if TYPE_CHECKING:
    from penstock.share.facility import Facility
    from penstock.share.rounds import Results

logger = logging.getLogger(__name__)
ROUND_WISHES_MAX = 2000  # in one round
JOIN_WISHES = 16  # that wait before the second pipe takes a round, twice as many before the third
PLANS = (  # a round touches few rows by their keys: statements are planned once, and by index
    "set plan_cache_mode = force_generic_plan; set enable_seqscan = off; set enable_bitmapscan = off;"
    " set enable_hashjoin = off; set enable_mergejoin = off"
)
LATE_SECONDS = 1.0  # a round that takes longer lets the others go on with what waits
ROUND_BYTES_MAX = 16 << 20  # of messages in one round; a larger unit goes alone


class Inbox:
    """Wishes that wait for a round, for all pipes of a member.

    The first pipe takes what is there; another joins when so much waits that rounds stay large: a round for
    many callers costs the server little more than one for a single caller.
    """

    def __init__(self, pipes: int = 1) -> None:
        self._lock = threading.Lock()
        self._ready = [threading.Condition(self._lock) for _ in range(pipes)]
        self._idle = [False] * pipes
        self.wishes: deque[Any] = deque()
        self.opens: deque[Any] = deque()  # the first pipe takes them, in their order
        self.ended = False

    def add(self, wish: Any) -> None:
        """Leave a wish for the next round."""
        with self._lock:
            (self.opens if isinstance(wish, Open) else self.wishes).append(wish)
            for pipe, ready in enumerate(self._ready):
                if self._idle[pipe] and len(self.wishes) >= pipe * JOIN_WISHES:
                    ready.notify()
                    return

    def take(self, pipe: int) -> list[Any] | None:
        """Return the wishes of the next round; None at the end."""
        with self._lock:
            late = False
            while not self._has_work(pipe, late):
                if self.ended:
                    return None
                self._idle[pipe] = True
                late = not self._ready[pipe].wait(LATE_SECONDS if pipe else None) and not self._idle[0]
                self._idle[pipe] = False
            taken = self._round()
            if pipe == 0:
                taken += self.opens
                self.opens.clear()
            return taken

    def _has_work(self, pipe: int, late: bool) -> bool:
        if pipe == 0:
            return bool(self.wishes or self.opens)
        return bool(self.wishes) and (late or self.ended or len(self.wishes) >= pipe * JOIN_WISHES)

    def _round(self) -> list[Any]:
        taken: list[Any] = []
        size = 0
        while self.wishes and len(taken) < ROUND_WISHES_MAX:
            wish = self.wishes[0]
            if isinstance(wish, Commit):
                size += wish.size
                if size > ROUND_BYTES_MAX and taken:
                    break
            taken.append(self.wishes.popleft())
        return taken

    def end(self) -> None:
        """Have the pipes end when nothing is left."""
        with self._lock:
            self.ended = True
            for ready in self._ready:
                ready.notify()

    def drain(self) -> list[Any]:
        """Return everything that no round has taken."""
        with self._lock:
            left = [*self.wishes, *self.opens]
            self.wishes.clear()
            self.opens.clear()
            return left


class Pipe(threading.Thread):
    """One connection and its rounds."""

    def __init__(self, facility: Facility, inbox: Inbox, number: int) -> None:
        super().__init__(name=f"penstock-pipe-{number}", daemon=True)
        self.facility = facility
        self.inbox = inbox
        self.number = number
        self.connection = facility.session()
        self.connection.execute(PLANS, prepare=False)
        self.exchange = Exchange(self.connection, STATEMENTS, facility.group.member_timeout)
        self.busy = threading.Lock()  # held while a round is under way
        self.past: list[int] = []  # rounds whose outcomes the next ones remove
        self.rounds = self.units = 0
        self.seconds = 0.0

    def run(self) -> None:
        """Run rounds until the end or until the connection breaks."""
        try:
            while (wishes := self.inbox.take(self.number)) is not None:
                with self.busy:
                    if not self._round(wishes):
                        return
        finally:
            self.connection.close()

    def _round(self, wishes: list[Any]) -> bool:
        round_ = Round(self, wishes)
        began = time.monotonic()
        try:
            results = run_round(round_)
        except Exception as failure:  # a thread's edge: the facility is begun anew
            if not isinstance(failure, psycopg.Error | OSError):
                logger.exception("round_failed")
            self.facility.broken(round_, wishes, failure)
            return False
        self.rounds += 1
        self.seconds += time.monotonic() - began
        self.facility.deliver(results)
        return True

    def close(self) -> None:
        """End the session."""
        if self.is_alive():
            hang_up(self.connection)
        else:
            self.connection.close()


def run_round(round_: Round) -> Results:
    """Run one round: where tests put their faults."""
    return round_.run()
