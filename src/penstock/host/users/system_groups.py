"""A cache of the groups that the operating system gives to users: no call waits for a directory service.

The system may use a remote directory service, so a separate thread queries it. For a known user the answer
comes at once and is at most a minute old; for a new one the call waits a moment. Callers that can wait longer
call `learn` first; callers that must not wait use `without_waiting`. Used by `People`, under the engine's
lock among others. Invariant: no caller waits longer than `LOOKUP_SECONDS`.
"""

from __future__ import annotations

import grp
import logging
import os
import pwd
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

logger = logging.getLogger(__name__)

FRESH_SECONDS = 60.0
LOOKUP_SECONDS = 0.05
LEARN_SECONDS = 20.0  # that a connecting user waits for the system to answer
LEARN_PAUSE_SECONDS_MAX = 2.0  # between questions that the system could not answer
LOOKUPS_MAX = 64  # at a time
USERS_MAX = 10_000  # users whose groups are cached
NOBODY: frozenset[str] = frozenset()


class SystemGroups:
    """Users and groups of the operating system."""

    def __init__(self, look_up: Callable[[str], frozenset[str]] | None = None) -> None:
        self.changes = 0  # how often a user's groups have changed
        self.refreshes = 0  # how often all entries were to be refreshed
        self._look_up = look_up or groups_on_this_machine
        self._lock = threading.Lock()
        self._known: dict[str, tuple[float, frozenset[str]]] = {}  # fresh until, groups
        self._looking: dict[str, threading.Event] = {}
        self._refreshed = threading.Event()
        self._refreshed.set()
        self._hurried = threading.local()  # threads that must not wait

    @contextmanager
    def without_waiting(self) -> Iterator[None]:
        """Make `of` return at once in this thread: an unknown user has no groups until the system answers."""
        self._hurried.now = True
        try:
            yield
        finally:
            self._hurried.now = False

    def of(self, user: str) -> frozenset[str]:
        """Return the groups of a user, as far as they are known; none when the system takes its time."""
        found = self._known.get(user)
        if found is None:
            self._wait(user, 0.0 if getattr(self._hurried, "now", False) else LOOKUP_SECONDS)
            found = self._known.get(user, (0.0, NOBODY))
        return found[1]

    def knows(self, user: str) -> bool:
        """Return whether the system has answered for a user."""
        return user in self._known

    def learn(self, user: str) -> bool:
        """Wait until the system has answered for a user; False if it does not in time."""
        deadline = time.monotonic() + LEARN_SECONDS
        pause = LOOKUP_SECONDS
        while user not in self._known and time.monotonic() < deadline:
            self._wait(user, LEARN_SECONDS)
            if user not in self._known:
                time.sleep(pause)
                pause = min(2 * pause, LEARN_PAUSE_SECONDS_MAX)
        return user in self._known

    def look_again(self) -> None:
        """Refresh old entries; called at intervals, without waiting."""
        now = time.monotonic()
        stale = [user for user, (until, _) in list(self._known.items()) if until <= now]
        if stale and self._refreshed.is_set():
            self._refreshed.clear()
            threading.Thread(target=self._refresh, args=(stale,), name="penstock-groups", daemon=True).start()

    def refresh(self) -> None:
        """Refresh all entries; with a slow system the old ones stay valid for a moment."""
        with self._lock:
            self.refreshes += 1
            self._known = {user: (0.0, groups) for user, (_, groups) in self._known.items()}
        self.look_again()
        self._refreshed.wait(LOOKUP_SECONDS)

    def _wait(self, user: str, seconds: float) -> None:
        with self._lock:
            looking = self._looking.get(user)
            if looking is None and len(self._looking) < LOOKUPS_MAX:
                looking = self._looking[user] = threading.Event()
                threading.Thread(target=self._find, args=(user,), name="penstock-groups", daemon=True).start()
        if looking is not None:
            looking.wait(seconds)
        elif seconds:
            time.sleep(min(seconds, LOOKUP_SECONDS))

    def _find(self, user: str) -> None:
        try:
            self._ask(user)
        finally:
            with self._lock:
                self._looking.pop(user).set()

    def _refresh(self, users: list[str]) -> None:
        try:
            for user in users:
                self._ask(user)
        finally:
            self._refreshed.set()

    def _ask(self, user: str) -> None:
        try:
            groups = self._look_up(user)
        except OSError as failure:  # the directory service is not available: keep the old entry
            logger.warning("groups_unknown user=%s cause=%s", user, failure)
            return
        with self._lock:
            before = self._known.pop(user, None)
            if before is None and len(self._known) >= USERS_MAX:
                del self._known[next(iter(self._known))]
            self._known[user] = (time.monotonic() + FRESH_SECONDS, groups)
            if before is not None and before[1] != groups:
                self.changes += 1


def groups_on_this_machine(user: str) -> frozenset[str]:
    """Return the groups that the operating system gives a user; none when it does not know him."""
    try:
        numbers = os.getgrouplist(user, pwd.getpwnam(user).pw_gid)
    except (KeyError, ValueError, UnicodeError):
        return frozenset()
    return frozenset(name for number in numbers if (name := _group_name(number)))


def _group_name(number: int) -> str:
    try:
        return grp.getgrgid(number).gr_name
    except KeyError:
        return ""
