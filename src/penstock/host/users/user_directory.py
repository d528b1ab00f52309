"""The user directory: the users file and the operating system, combined.

A user's groups are those that `penstock user` assigned and those of this machine. Administrators
are the owner of the queue manager's folder, root, and the members of group `mqm`. Used by room `admin`, as
`Access.people`. Invariant: a change of the users file counts at the next question; one of the machine's
groups within a minute, or after REFRESH SECURITY.
"""

from __future__ import annotations

import pwd
import threading
from typing import TYPE_CHECKING

from penstock.host.users.passwords import RecentLogins, matches
from penstock.host.users.system_groups import SystemGroups
from penstock.host.users.users_file import identity_of, read_users

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.host.users.passwords import Hashed
    from penstock.host.users.users_file import Identity, User, Users

ADMINISTRATORS = "mqm"
ROOT = "root"


class People:
    """The users of one queue manager."""

    def __init__(self, users_file: Path, owner: str) -> None:
        self.users_file = users_file
        self.owner = owner
        self._lock = threading.Lock()
        self._users: Users = {}
        self._identity: Identity | None = None
        self._logins = RecentLogins()
        self.system = SystemGroups()

    def known(self, user: str) -> User | None:
        """Return a user's entry in the users file."""
        return self._current().get(user)

    def verify(self, user: str, password: str) -> bool:
        """Return whether this is the user's password. Slow, unless it was checked within the last minute."""
        stored = self._stored(user)
        if stored is not None and self._logins.knows(user, password, stored):
            return True
        return matches(password, stored) and stored is not None

    def remember(self, user: str, password: str) -> None:
        """Remember a correct password whose user was admitted.

        A correct one whose user was refused must stay as slow as a wrong one, or its time would reveal it.
        """
        stored = self._stored(user)
        if stored is not None:
            self._logins.add(user, password, stored)

    def remembers(self, user: str, password: str) -> bool:
        """Return whether to verify this takes no time."""
        stored = self._stored(user)
        return stored is not None and self._logins.knows(user, password, stored)

    def expects(self, user: str, password: str) -> bool:
        """Return whether this is probably the password that let the user in last time; no proof."""
        stored = self._stored(user)
        return stored is not None and self._logins.expects(user, password, stored)

    def _stored(self, user: str) -> Hashed | None:
        known = self.known(user)
        return known.password if known is not None else None

    def groups(self, user: str) -> frozenset[str]:
        """Return the groups of a user, from the users file and from this machine."""
        known = self.known(user)
        system = self.system.of(user)
        return system | known.groups if known is not None else system

    def administrator_by(self, user: str) -> str:
        """Return why a user is an administrator; empty if the user is not."""
        if user == self.owner:
            return "the folder of the queue manager is his"
        if user in (ROOT, ADMINISTRATORS):
            return f"{user} always is"
        return f"member of group {ADMINISTRATORS}" if ADMINISTRATORS in self.groups(user) else ""

    def may_exist(self, user: str) -> bool:
        """Return whether a user of this name exists; True until the operating system has answered."""
        return bool(self.known(user) or self.system.of(user)) or not self.system.knows(user)

    def refresh(self) -> None:
        """Clear the caches."""
        self._logins.clear()
        self.system.refresh()
        with self._lock:
            self._identity = None
            self._users = {}

    def _current(self) -> Users:
        identity = identity_of(self.users_file)
        with self._lock:
            if identity != self._identity:
                self._users = read_users(self.users_file)
                self._identity = identity
            return self._users


def owner_of(folder: Path) -> str:
    """Return the name of the user that a folder belongs to; his number when he has no name."""
    number = folder.stat().st_uid
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return str(number)
