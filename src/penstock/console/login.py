"""Logging in with a user of `penstock user` and that user's password."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.host.users.user_directory import People, owner_of
from penstock.host.users.users_file import NAME
from penstock.model.limits import USER_ID_LENGTH

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.console.audit import Audit
    from penstock.console.sessions import Session, Sessions

PASSWORD_MAX = 1024
REFUSED = "User or password is wrong."
TOO_MANY = "Too many attempts; wait a minute."


class Login:
    """Checks passwords; a wrong user takes as long as a wrong password."""

    def __init__(self, home: Path, sessions: Sessions, audit: Audit) -> None:
        self._people = People(home / NAME, owner_of(home))
        self._sessions = sessions
        self._audit = audit

    def attempt(self, user: str, password: str, address: str) -> tuple[Session | None, str]:
        """Return a session, or why there is none. Slow on purpose: call it on a thread."""
        name = user.strip()[: 4 * USER_ID_LENGTH]
        tried = (f"user {name}", f"address {address}")
        if not self._sessions.may_try(*tried):
            self._audit.note(name, address, "log in", result="too many attempts")
            return None, TOO_MANY
        if not name or not self._people.verify(name, password[:PASSWORD_MAX]):
            self._audit.note(name, address, "log in", result="refused")
            return None, REFUSED
        self._sessions.forget_tries(*tried)
        self._audit.note(name, address, "log in", result="ok")
        return self._sessions.open(name), ""


def own_path(to: str) -> str:
    """Return where to go after logging in: a page of ours, never another server's.

    >>> own_path("/queues?qm=QM1"), own_path("//evil"), own_path("https://evil")
    ('/queues?qm=QM1', '/', '/')
    """
    is_own = to.startswith("/") and not to.startswith(("//", "/\\")) and to.isprintable()
    return to if is_own else "/"
