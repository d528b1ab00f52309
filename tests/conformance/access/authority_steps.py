"""A queue manager with users, and connections of those users."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import penstock
from penstock.host.users.users_file import User, changing_users


def add_users(home: Path, **groups: str) -> None:
    """Add users with groups: `add_users(home, bob="sales west", eve="")`."""
    with changing_users(home / "users.auth") as users:
        for name, words in groups.items():
            users[name] = User(name, frozenset(words.split()))


def grant(qm: penstock.QueueManager, *records: str) -> None:
    """Set authority records: `grant(qm, "PROFILE(A) OBJTYPE(QUEUE) PRINCIPAL('bob') AUTHADD(PUT)")`."""
    for record in records:
        (reply,) = qm.mqsc(f"SET AUTHREC {record}")
        assert not reply.failed, reply


CONNECT = "OBJTYPE(QMGR) {} AUTHADD(CONNECT)"


def let_in(qm: penstock.QueueManager, *whom: str) -> None:
    """Let users or groups connect: `let_in(qm, "PRINCIPAL('bob')")`."""
    grant(qm, *(CONNECT.format(each) for each in whom))


@contextmanager
def refused() -> Iterator[list[penstock.MQError]]:
    """Expect 2035; what was raised is in the list afterwards."""
    found: list[penstock.MQError] = []
    try:
        yield found
    except penstock.NotAuthorized as failure:
        assert failure.reason == 2035
        found.append(failure)
    else:
        raise AssertionError("it was allowed")
