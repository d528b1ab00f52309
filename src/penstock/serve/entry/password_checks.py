"""The queue of password checks: clients that guess passwords do not delay clients that know theirs.

A check takes long on purpose. A user who was right before, with this password, comes first; then origins
(addresses, local users) take turns; those that were wrong lately have one thread and a short queue of their
own. Runs in the loop; the checks themselves in threads. What a password is worth is decided elsewhere.
"""

from __future__ import annotations

import asyncio
import functools
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.admin.connection_authentication import Verdict

CHECKERS = 4  # checks at once
SUSPECTS_AT_ONCE = 1  # of these, for origins that were wrong lately
SUSPECTS_WAITING_MAX = 32  # checks of one such origin
SUSPECT_SECONDS = 60.0
SUSPECTS_MAX = 10_000

Job = tuple["asyncio.Future[Verdict]", "Callable[[], Verdict]"]


class PasswordChecks:
    """The checks of one server."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._threads = ThreadPoolExecutor(CHECKERS, thread_name_prefix="penstock-passwords")
        self._likely = _Turns()
        self._others = _Turns()
        self._suspects = _Turns()
        self._until: dict[str, float] = {}  # how long an origin that was wrong is suspected
        self._running = 0
        self._suspects_running = 0

    async def run(self, origin: str, likely: bool, check: Callable[[], Verdict]) -> Verdict | None:
        """Return the result of a check when its turn has come; None if too many of its origin wait."""
        loop = asyncio.get_running_loop()
        suspected = self._is_suspected(origin)
        if suspected and not likely and self._suspects.waiting(origin) >= SUSPECTS_WAITING_MAX:
            return None
        job: Job = (loop.create_future(), check)
        lane = self._likely if likely else self._suspects if suspected else self._others
        lane.add(origin, job)
        self._start()
        try:
            return await job[0]
        finally:
            for each in (self._likely, self._others, self._suspects):
                each.remove(origin, job)  # its client has disconnected

    def close(self) -> None:
        """Begin no further check."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _start(self) -> None:
        while self._running < CHECKERS:
            suspect = self._suspects_running < SUSPECTS_AT_ONCE and bool(self._suspects)
            lane = self._suspects if suspect else self._likely or self._others
            if not lane:
                return
            origin, job = lane.take()
            self._running += 1
            self._suspects_running += suspect
            work = asyncio.get_running_loop().run_in_executor(self._threads, job[1])
            work.add_done_callback(functools.partial(self._done, origin, job, suspect))

    def _done(self, origin: str, job: Job, suspect: bool, done: asyncio.Future[Verdict]) -> None:
        self._running -= 1
        self._suspects_running -= suspect
        future = job[0]
        if done.cancelled():
            future.cancel()
            return
        failure = done.exception()
        if failure is None and done.result().checked and not done.result().good:
            self._suspect(origin)
        if not future.done():
            if failure is not None:
                future.set_exception(failure)
            else:
                future.set_result(done.result())
        self._start()

    def _is_suspected(self, origin: str) -> bool:
        until = self._until.get(origin)
        if until is not None and until <= self._clock():
            del self._until[origin]
            return False
        return until is not None

    def _suspect(self, origin: str) -> None:
        """Move an origin, with its waiting checks, to the other queue for a while."""
        self._until.pop(origin, None)
        if len(self._until) >= SUSPECTS_MAX:
            del self._until[next(iter(self._until))]
        self._until[origin] = self._clock() + SUSPECT_SECONDS
        for job in self._others.take_all(origin):
            self._suspects.add(origin, job)


class _Turns:
    """Jobs by origin: the origins take turns, each with its oldest job."""

    def __init__(self) -> None:
        self._jobs: OrderedDict[str, dict[Job, None]] = OrderedDict()

    def __bool__(self) -> bool:
        return bool(self._jobs)

    def waiting(self, origin: str) -> int:
        return len(self._jobs.get(origin, ()))

    def add(self, origin: str, job: Job) -> None:
        self._jobs.setdefault(origin, {})[job] = None

    def take(self) -> tuple[str, Job]:
        origin, jobs = next(iter(self._jobs.items()))
        job = next(iter(jobs))
        self.remove(origin, job)
        if origin in self._jobs:
            self._jobs.move_to_end(origin)
        return origin, job

    def take_all(self, origin: str) -> list[Job]:
        return list(self._jobs.pop(origin, ()))

    def remove(self, origin: str, job: Job) -> None:
        jobs: dict[Job, Any] = self._jobs.get(origin, {})
        jobs.pop(job, None)
        if origin in self._jobs and not jobs:
            del self._jobs[origin]
