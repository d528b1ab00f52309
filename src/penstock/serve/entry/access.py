"""Checks of users by the server: its access to channel authentication and passwords.

The rules are `admin`'s. Passwords are checked in threads, outside the engine's lock, because that is slow on
purpose; rules are looked at under it, in the loop.
"""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from penstock.host.users import system_groups
from penstock.serve.entry.password_checks import PasswordChecks

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from penstock.admin.channel_authentication.evaluator import Decision
    from penstock.admin.connection_authentication import Verdict
    from penstock.host.host import Host
    from penstock.serve.entry.peer import Peer

PASSWORD_BYTES_MAX = 1024
ASKERS = 4  # dedicated threads that wait for the operating system's user data
NAMES_MAX = 10_000  # of local users, by their numbers


class ServerAccess:
    """Admission to one queue manager."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self.access = host.access
        self.askers = ThreadPoolExecutor(ASKERS, thread_name_prefix="penstock-users")
        self.passwords = PasswordChecks(time.monotonic)
        self.pause: Callable[[float], Awaitable[None]] = asyncio.sleep  # before a refusal is sent
        self._names: dict[int, tuple[float, int, str]] = {}  # by number: fresh until, refreshes then, name

    @property
    def wants_host_names(self) -> bool:
        """Whether a rule is about host names."""
        return self.access.channels.wants_host_names

    def knows(self, user: str) -> bool:
        """Return whether a user's groups are known, so that questions about him need no waiting."""
        return self.host.people.system.knows(user)

    def name_of(self, number: int) -> str | None:
        """Return the name of a user of this machine, if it is cached."""
        until, refreshes, name = self._names.get(number, (0.0, 0, ""))
        fresh = time.monotonic() < until and refreshes == self.host.people.system.refreshes
        return name if fresh else None

    def note_name(self, number: int, name: str) -> None:
        """Cache the name of a user of the operating system for a while."""
        if len(self._names) >= NAMES_MAX:
            self._names.clear()
        until = time.monotonic() + system_groups.FRESH_SECONDS
        self._names[number] = (until, self.host.people.system.refreshes, name)

    def close(self) -> None:
        """Wait for the operating system no more."""
        self.askers.shutdown(wait=False, cancel_futures=True)
        self.passwords.close()

    def learn(self, user: str) -> bool:
        """Read a user's groups from the operating system; slow with a directory service."""
        return self.host.people.system.learn(user)

    def address_refused(self, address: str) -> str | None:
        """Return why an address is not even listened to."""
        with self.host.gate:
            decision = self.access.channels.address_refused(address)
        return None if decision is None else decision.text

    def local(self, user: str, verdict: Verdict | None, commands_only: bool) -> Decision:
        """Decide about a process of this machine: it is its system user, or the user of its password.

        Unknown groups count as none: never wait for a directory service with the gate held.
        """
        with self.host.gate, self.host.people.system.without_waiting():
            return self.access.decide_local(user, verdict, commands_only)

    def client(self, peer: Peer, channel: str, host: str, user: str, verdict: Verdict | None) -> Decision:
        """Decide about a network client. It never waits: unknown groups count as none."""
        with self.host.gate, self.host.people.system.without_waiting():
            return self.access.channels.decide(
                channel, peer.address, host=host, user=user, verdict=verdict, **_certified(peer)
            )

    def partner(self, peer: Peer, channel: str, host: str, qmgr: str) -> Decision:
        """Decide about a queue manager that dials a message channel."""
        with self.host.gate, self.host.people.system.without_waiting():
            return self.access.channels.decide_partner(
                channel, peer.address, host=host, qmgr=qmgr, **_certified(peer)
            )

    @property
    def failure_delay(self) -> float:
        """Seconds that pass before a refusal: FAILDLAY of the AUTHINFO that CONNAUTH names."""
        return self.access.failure_delay

    def verdict(self, user: str, password: str, kind: str) -> Verdict:
        """Return whether a password is right. Slow on purpose, unless it is cached: call it on a thread."""
        return self.access.authenticate(user, password, kind)

    def remembers(self, user: str, password: str) -> bool:
        """Return whether a verdict on this password takes no time."""
        return self.host.people.remembers(user, password)

    def expects(self, user: str, password: str) -> bool:
        """Return whether this is probably the password that let the user in last time."""
        return self.host.people.expects(user, password)

    def remember(self, user: str, password: str) -> None:
        """Cache a password that was right, so that its next check is quick."""
        self.host.people.remember(user, password)


def checked_password(password: Any) -> str:
    """Return a password that came with a hello; ValueError when it cannot be one."""
    if not isinstance(password, str) or len(password) > PASSWORD_BYTES_MAX:
        raise ValueError("a password is a text of at most 1024 characters")
    return password


def _certified(peer: Peer) -> dict[str, str]:
    """Return the names in a peer's certificate, empty without one."""
    tls = peer.tls
    return {"peer": "", "issuer": ""} if tls is None else {"peer": tls.peer, "issuer": tls.issuer}
