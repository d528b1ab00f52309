"""Who is at the other end: one-time keys, logins, and sessions with their token against forged requests.

Sessions are in memory: a restart of the web process ends them. A cookie has the session's random name and
nothing else. Invariant: a key works once; a wrong password takes as long as a right one, and after five of
them within a minute none is checked.
"""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.console.people import Connections

IDLE_SECONDS = 30 * 60.0
LIFE_SECONDS = 12 * 3600.0
KEY_SECONDS = 300.0
KEYS_MAX = 10
SESSIONS_MAX = 200
TRIES_MAX = 5  # wrong passwords of one user, or from one address, within a minute
TRIES_SECONDS = 60.0
TRIED_MAX = 10_000  # users and addresses that are remembered


@dataclass
class Session:
    """A person in one browser."""

    id: str
    user: str
    connections: Connections
    made: float
    used: float
    csrf: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    notes: deque[tuple[str, str]] = field(default_factory=lambda: deque(maxlen=5))  # (ok or bad, text)
    cache: dict[Any, tuple[float, Any]] = field(default_factory=dict)

    def kept(self, key: Any, seconds: float, make: Callable[[], Any]) -> Any:
        """Return what `make` returns, or what it returned some seconds ago."""
        now = time.monotonic()
        found = self.cache.get(key)
        if found is None or now - found[0] > seconds:
            if len(self.cache) > 100:
                self.cache.clear()
            found = self.cache[key] = (now, make())
        return found[1]


class Sessions:
    """All sessions of a web process."""

    def __init__(self, connections: Callable[[str], Connections]) -> None:
        self._connections = connections
        self._lock = threading.Lock()
        self._sessions: dict[str, Session] = {}
        self._keys: dict[str, tuple[float, str]] = {}
        self._tries: dict[str, deque[float]] = {}

    def new_key(self, user: str) -> str:
        """Return a key that opens one session of a user, within five minutes."""
        key = secrets.token_urlsafe(32)
        with self._lock:
            now = time.monotonic()
            self._keys = {name: kept for name, kept in self._keys.items() if kept[0] > now}
            while len(self._keys) >= KEYS_MAX:
                del self._keys[next(iter(self._keys))]
            self._keys[key] = (now + KEY_SECONDS, user)
        return key

    def use_key(self, key: str) -> Session | None:
        """Return a new session for a key, which is used up by this."""
        with self._lock:
            until, user = self._keys.pop(key, (0.0, ""))
        return self.open(user) if until > time.monotonic() else None

    def open(self, user: str) -> Session:
        """Return a new session of a user."""
        now = time.monotonic()
        session = Session(secrets.token_urlsafe(32), user, self._connections(user), now, now)
        with self._lock:
            ended = [each for each in self._sessions.values() if _over(each, now)]
            if len(self._sessions) - len(ended) >= SESSIONS_MAX:
                ended.append(min(self._sessions.values(), key=lambda each: each.used))
            for each in ended:
                self._sessions.pop(each.id, None)
            self._sessions[session.id] = session
        for each in ended:
            each.connections.close()
        return session

    def find(self, name: str) -> Session | None:
        """Return the session of a cookie; None if it is over."""
        now = time.monotonic()
        with self._lock:
            found = self._sessions.get(name)
            if found is None or _over(found, now):
                return None
            found.used = now
            return found

    def close(self, session: Session) -> None:
        """End a session."""
        with self._lock:
            self._sessions.pop(session.id, None)
        session.connections.close()

    def close_all(self) -> None:
        """End all sessions."""
        with self._lock:
            ended, self._sessions = list(self._sessions.values()), {}
        for each in ended:
            each.connections.close()

    def may_try(self, *names: str) -> bool:
        """Say whether a password of this user and this address is checked at all; counts the try."""
        now = time.monotonic()
        with self._lock:
            if len(self._tries) > TRIED_MAX:
                self._tries.clear()
            allowed = True
            for name in names:
                tries = self._tries.setdefault(name, deque(maxlen=TRIES_MAX))
                allowed &= len(tries) < TRIES_MAX or now - tries[0] > TRIES_SECONDS
            for name in names if allowed else ():
                self._tries[name].append(now)
        return allowed

    def forget_tries(self, *names: str) -> None:
        """Forget the failed attempts of a user who has logged in."""
        with self._lock:
            for name in names:
                self._tries.pop(name, None)


def is_token(session: Session, given: str) -> bool:
    """Say whether a form came from a page of this session."""
    return hmac.compare_digest(session.csrf.encode(), given.encode())


def _over(session: Session, now: float) -> bool:
    return now - session.used > IDLE_SECONDS or now - session.made > LIFE_SECONDS
